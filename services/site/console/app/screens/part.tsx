import { useLocation } from 'preact-iso/router'
import { PART } from '../../../../../proto/states/parts.ts'
import { at, market, type Part, patch, post, remove } from '../api.ts'
import { criticalities, labelIn, materials, processes, standards } from '../catalogs.ts'
import { useList, useRecord } from '../data.ts'
import { date, number } from '../format.ts'
import { mayUse, orgId, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { PartFiles } from '../ui/files.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { Timeline } from '../ui/timeline.tsx'
import { PartFields, partContentOf } from './part-fields.tsx'
import { AddFiles } from './part-files.tsx'
import { Publish } from './part-publication.tsx'
import { RequestPart } from './subscriptions.tsx'

function RemoveFile({ partId }: { partId: string }) {
  const files = useRecord('/v1/parts/{id}/files', { path: { id: partId } }).data?.items ?? []
  const removeFile = (data: FormData) =>
    patch('/v1/parts/{id}/files', partId, { remove: [textOf(data, 'fileId') ?? ''] })
  return (
    <Action label={t.parts.removeFile} when={files.length > 0} isDangerous onRun={removeFile}>
      <Field name="fileId" label={t.parts.file} options={files.map(({ id, name }) => [id, name])} />
    </Action>
  )
}

function Steps({ part }: { part: Part }) {
  const { route } = useLocation()
  const { id } = part
  const change = (data: FormData, headers: { 'If-Match': string }) => {
    const typed = Object.entries(partContentOf(data)).map(([name, value]) => [name, value ?? null])
    return patch('/flows/v1/parts/{id}', id, Object.fromEntries(typed), headers)
  }
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
        when={mayUse(PART, 'patch', part)}
        isWide
        read={() => market.GET('/v1/parts/{id}', at(id))}
        onRun={change}
      >
        {(present) => <PartFields part={present} />}
      </Edit>
      <Publish part={part} verb="publish" />
      <Publish part={part} verb="unarchive" />
      <RequestPart partId={id} when={part.requireSubscription && part.ipOwnerOrgId !== orgId.value} />
      {part.state === 'PUBLISHED' && permits('POST /flows/v1/rfqs') && (
        <a class="button primary" href={`/console/rfqs/new?part=${id}`}>
          {t.rfqs.create}
        </a>
      )}
    </>
  )
}

/** The extents that are known, in their unit. */
function sizeOf({ boundingBox, unitSystem }: Part): string | undefined {
  const lengths = [boundingBox?.x, boundingBox?.y, boundingBox?.z].filter((length) => length !== undefined)
  if (lengths.length === 0) return undefined
  return `${lengths.map(number).join(' × ')} ${unitSystem === 'IMPERIAL' ? 'in' : 'mm'}`
}

const PartFacts = ({ part }: { part: Part }) => (
  <Section title={t.parts.part}>
    {part.description && <p class="text">{part.description}</p>}
    <Facts
      of={[
        [t.orgRoles.IP_OWNER, <OrgName key="owner" id={part.ipOwnerOrgId} />],
        [
          t.parts.material,
          labelIn(materials(), part.materialId) ?? (part.materialType && t.materialTypes[part.materialType]),
        ],
        [t.parts.process, labelIn(processes(), part.processId)],
        [part.ipOwnerOrgId === orgId.value ? t.parts.reference : t.parts.ownersReference, part.externalRef],
        [t.parts.internal, part.internal && t.ui.yes],
        [t.parts.descriptionManufacturer, part.descriptionManufacturer],
        [t.parts.materialNote, part.materialNote],
        [t.parts.processNote, part.processNote],
        [t.parts.rapidMaterial, part.rapidManufacturingMaterial],
        [t.factories.standards, part.standardIds.map((code) => labelIn(standards(), code)).join(', ')],
        [t.parts.criticalities, part.criticalityIds.map((code) => labelIn(criticalities(), code)).join(', ')],
        [t.parts.keywords, part.keywords.join(', ')],
        [t.parts.sections.size, sizeOf(part)],
        [t.parts.documentation, part.documentationRequirementNotes],
        [t.parts.exemptions, part.exemptionsNotes],
        [t.parts.notes, part.otherRequirementNotes],
        [t.parts.requireSubscription, part.requireSubscription && t.ui.yes],
        ...Object.entries(part.metadata).map(([key, value]) => [key, value] as const),
        [t.parts.revisionNumber, String(part.revision)],
        [t.parts.published, part.publishedTime && date(part.publishedTime)],
        [t.parts.updated, date(part.updatedTime)],
      ]}
    />
  </Section>
)

export function PartScreen({ id = '' }: { id?: string }) {
  const { revision } = useLocation().query
  const current = useRecord(revision === undefined ? '/v1/parts/{id}' : undefined, { path: { id } })
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
          badge={<Badge of="part" state={part.state} />}
          actions={revision === undefined && <Steps part={part} />}
        >
          <div class="beside">
            <div class="stack">
              {revision !== undefined && (
                <p class="hint">
                  {fill(t.parts.pinned, { count: String(part.revision) })}{' '}
                  <a href={`/console/parts/${id}`}>{t.parts.openCurrent}</a>
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
              <PartFiles partId={id} revision={revision === undefined ? undefined : Number(revision)} />
              {mayChangeFiles && (
                <div class="actions">
                  <AddFiles part={part} />
                  <RemoveFile partId={id} />
                </div>
              )}
            </div>
          </div>
        </Page>
      )}
    </Shown>
  )
}
