import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { ApiError, type File, type Part, type Rfq } from '../api.ts'
import { useRecord } from '../data.ts'
import { mayUse, orgId } from '../me.ts'
import { orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { useFiles } from '../ui/files.tsx'
import { Section } from '../ui/page.tsx'
import { type PartFact, usePartContent } from './part-facts.tsx'
import { Amend } from './rfq-terms.tsx'
import { useLiveSubscriptions } from './subscriptions.tsx'

/** The groups that every reader of a part sees, so that no file seems to be missing from either revision. */
const COMMON_GROUPS: readonly File['group'][] = ['preview', 'document']

const useContent = (part: Part): PartFact[] => [
  [t.parts.title, part.title],
  [t.parts.description, part.description],
  ...usePartContent(part),
]

const comparedOf = (fact: PartFact | undefined) => fact?.[2] ?? String(fact?.[1] || '')

/** The fields that differ, as they were and as they are. */
function FieldChanges({ before, after }: { before: Part; after: Part }) {
  const [was, is] = [useContent(before), useContent(after)]
  const labels = new Set([...was, ...is].map(([label]) => label))
  const changes = [...labels].map((label) => {
    const isOf = ([each]: PartFact) => each === label
    return { label, old: was.find(isOf), now: is.find(isOf) }
  })
  return (
    <>
      {changes
        .filter(({ old, now }) => comparedOf(old) !== comparedOf(now))
        .map(({ label, old, now }) => (
          <li key={label}>
            {label}: <del>{old?.[1] || '–'}</del> → <ins>{now?.[1] || '–'}</ins>
          </li>
        ))}
    </>
  )
}

const FileNames = ({ label, files }: { label: string; files: readonly File[] }) =>
  files.length === 0 ? null : (
    <li>
      {label}: {files.map(({ name }) => name).join(', ')}
    </li>
  )

/** What has changed since the revision that an RFQ pins, for those who read both, and the way to amend the RFQ. */
export function PartChanged({ rfq }: { rfq: Rfq }) {
  const { partId: id, partRevision } = rfq
  const pinned = useRecord('/flows/v1/parts/{id}/revisions/{revision}', {
    path: { id, revision: String(partRevision) },
  }).data
  const { data: current, error } = useRecord('/v1/parts/{id}', { path: { id } })
  const isConsumer = rfq.consumerOrgId === orgId.value
  const isOwner = rfq.ipOwnerOrgId === orgId.value
  const isLocked = current?.requireSubscription === true && !isOwner
  const live = useLiveSubscriptions(isConsumer && isLocked ? { partId: id, ipOwnerOrgId: rfq.ipOwnerOrgId } : undefined)
  const isSubscriber = live === undefined || live.some((each) => each.state === 'ACTIVE')
  const isAvailable = current ? !isLocked || isSubscriber : !(error instanceof ApiError && error.status === 404)
  const files = [useFiles({ partId: id, revision: partRevision }), useFiles({ partId: id })]
  const [was, is] = files.map(({ data }) => data?.items.filter(({ group }) => isOwner || COMMON_GROUPS.includes(group)))
  const isReadable = pinned && current && current.revision > pinned.revision
  const without = (all: readonly File[] = [], others: readonly File[] = []) =>
    all.filter((file) => !others.some((other) => other.id === file.id))
  return (
    <Section
      title={t.rfqs.changesOfPart}
      actions={<Amend rfq={rfq} label={t.rfqs.amendForPart} when={isAvailable && mayUse(RFQ, 'amend', rfq)} />}
    >
      <p class="hint" role="status">
        {t.rfqs.partChanged}{' '}
        {!isConsumer
          ? fill(t.rfqs.partChangedForOwner, { consumer: orgName(rfq.consumerOrgId) })
          : isAvailable
            ? t.rfqs.partChangedForConsumer
            : t.rfqs.partUnavailable}
      </p>
      {isReadable && (
        <ul class="changes">
          <FieldChanges before={pinned} after={current} />
          {was && is && <FileNames label={t.rfqs.filesAdded} files={without(is, was)} />}
          {was && is && <FileNames label={t.rfqs.filesRemoved} files={without(was, is)} />}
          {!isOwner && <li class="unread">{t.rfqs.hiddenFileChanged}</li>}
        </ul>
      )}
      {isReadable && <a href={`/console/parts/${id}`}>{t.parts.openCurrent}</a>}
    </Section>
  )
}
