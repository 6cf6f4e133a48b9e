import { useLocation } from 'preact-iso/router'
import { PART } from '../../../../../proto/states/parts.ts'
import { at, type File, market, type Part, patch, post, remove } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { mayUse, orgId, permits } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { PartFiles } from '../ui/files.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Shown } from '../ui/states.tsx'
import { Timeline } from '../ui/timeline.tsx'
import { PartFacts } from './part-facts.tsx'
import { PartFields, partContentOf } from './part-fields.tsx'
import { AddFiles } from './part-files.tsx'
import { Publish, readersText } from './part-publication.tsx'
import { RequestPart, useLiveSubscriptions } from './subscriptions.tsx'

/** Removes a file of an own part. */
const RemoveFile = ({ partId, file: { id, name } }: { partId: string; file: File }) => (
  <Action
    label={t.ui.remove}
    hint={fill(t.parts.removeFileHint, { name })}
    isDangerous
    onRun={() => patch('/v1/parts/{id}/files', partId, { remove: [id] })}
  />
)

const readersIn =
  ({ internal }: Part) =>
  (file: File) =>
    readersText(file, internal)

function Steps({ part }: { part: Part }) {
  const { route } = useLocation()
  const { id } = part
  const change = (data: FormData, headers: { 'If-Match': string }) => {
    const typed = Object.entries(partContentOf(data)).map(([name, value]) => [name, value ?? null])
    return patch('/flows/v1/parts/{id}', id, Object.fromEntries(typed), headers)
  }
  const isRestricted = part.requireSubscription && part.ipOwnerOrgId !== orgId.value
  const subscriptions = useLiveSubscriptions(isRestricted ? { partId: id, ipOwnerOrgId: part.ipOwnerOrgId } : undefined)
  const maySource = !isRestricted || subscriptions?.some(({ state }) => state === 'ACTIVE')
  return (
    <>
      <Action
        label={t.parts.verbs.delete}
        hint={t.parts.hints.delete}
        when={mayUse(PART, 'delete', part)}
        isDangerous
        onRun={async () => {
          await remove('/flows/v1/parts/{id}', { id })
          route('/console/parts')
        }}
      />
      <Action
        label={t.parts.verbs.archive}
        hint={t.parts.hints.archive}
        when={mayUse(PART, 'archive', part)}
        onRun={() => post('/flows/v1/parts/{id}/archive', id)}
      />
      <Edit
        label={t.verbs.patch}
        of={part.title ?? part.serialNumber}
        submit={t.ui.save}
        when={mayUse(PART, 'patch', part)}
        isWide
        read={() => market.GET('/v1/parts/{id}', at(id))}
        onRun={change}
      >
        {(present) => <PartFields part={present} />}
      </Edit>
      <Publish part={part} verb="publish" />
      <Publish part={part} verb="unarchive" />
      {part.requireSubscription && part.ipOwnerOrgId !== orgId.value && <RequestPart part={part} />}
      {part.state === 'PUBLISHED' && maySource && permits('POST /flows/v1/rfqs') && (
        <a class="button primary" href={`/console/rfqs/new?part=${id}`}>
          {t.rfqs.create}
        </a>
      )}
    </>
  )
}

export function PartScreen({ id = '' }: { id?: string }) {
  const { revision } = useLocation().query
  const current = useRecord('/v1/parts/{id}', { path: { id } })
  const pinned = useRecord(revision === undefined ? undefined : '/flows/v1/parts/{id}/revisions/{revision}', {
    path: { id, revision: revision ?? '' },
  })
  const read = revision === undefined ? current : pinned
  const isOwn = read.data?.ipOwnerOrgId === orgId.value
  const history = useList(isOwn && revision === undefined ? '/v1/parts/{id}/history' : undefined, { path: { id } })
  const mayChangeFiles = isOwn && revision === undefined && permits('PATCH /v1/parts/{id}/files')
  return (
    <Shown read={read}>
      {(part) => (
        <Page
          title={part.title ?? t.parts.untitled}
          over={
            <>
              <a href="/console/parts">{t.nav.parts}</a> · {part.serialNumber}
            </>
          }
          picture={<Picture kind="part" url={pictureOf(part)} alt="" size="large" />}
          badge={<Badge of="part" state={part.state} />}
          actions={revision === undefined && <Steps part={part} />}
        >
          <div class="beside">
            <div class="stack">
              {revision !== undefined && (
                <p class="hint">
                  {fill(t.parts.pinned, { count: String(part.revision) })}{' '}
                  {current.data && current.data.revision > part.revision && (
                    <a href={`/console/parts/${id}`}>{t.parts.openCurrent}</a>
                  )}
                </p>
              )}
              <PartFacts part={part} />
              {isOwn && revision === undefined && (
                <Section title={t.timeline.title}>
                  <Timeline of="part" entries={history} />
                </Section>
              )}
            </div>
            <div class="stack">
              <PartFiles
                partId={id}
                revision={revision === undefined ? undefined : Number(revision)}
                {...(isOwn && revision === undefined && part.state === 'PUBLISHED' && { readers: readersIn(part) })}
                action={mayChangeFiles && ((file) => <RemoveFile partId={id} file={file} />)}
              />
              {mayChangeFiles && (
                <div class="actions">
                  <AddFiles part={part} />
                </div>
              )}
            </div>
          </div>
        </Page>
      )}
    </Shown>
  )
}
