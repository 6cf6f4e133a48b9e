import type { ComponentChildren } from 'preact'
import type { HistoryEntry } from '../api.ts'
import type { List } from '../data.ts'
import { time } from '../format.ts'
import { fill, t } from '../texts.ts'
import { More } from './list.tsx'
import { Badge } from './page.tsx'
import { Shown } from './states.tsx'

type RecordKind = 'rfq' | 'order' | 'part'

/** What files of a record are called. */
const filesOf = { rfq: t.documents.title, order: t.documents.title, part: t.files.title }

type Change = HistoryEntry['changes'][number]

/** A release of files that has lost its time was withdrawn. */
const isWithdrawal = ({ field, before, after }: Change) =>
  field.endsWith('filesReleasedTime') && before !== undefined && after === undefined

/** What a changed field is called. */
export const nameOf = (of: RecordKind, { field, ...values }: Change) =>
  isWithdrawal({ field, ...values }) ? t.timeline.filesWithdrawn : fieldNameOf(of, field)

const fieldNameOf = (of: RecordKind, field: string) =>
  (t.timeline.fields as Readonly<Record<string, string>>)[field] ??
  (field.startsWith('files.') ? filesOf[of] : acceptanceName(field))

function acceptanceName(field: string): string {
  if (!field.startsWith('acceptances.')) return field
  return field.endsWith('.filesReleasedTime') ? t.timeline.fields.filesReleasedTime : t.timeline.fields.acceptances
}

/** What an entry of the history says: the new state, or the fields that changed. */
function sentence(of: RecordKind, { kind, changes }: HistoryEntry): ComponentChildren {
  const state = changes.find(({ field }) => field === 'state')?.after
  if (typeof state === 'string' && state in t.states[of]) return <Badge of={of} state={state as never} />
  if (kind === 'CREATE') return t.timeline.created
  return fill(t.timeline.changed, { fields: [...new Set(changes.map((change) => nameOf(of, change)))].join(', ') })
}

/** The history of a record, newest first. */
export const Timeline = ({ of, entries }: { of: RecordKind; entries: List<HistoryEntry> }) => (
  <Shown read={entries}>
    {(items) => (
      <>
        <ol class="timeline">
          {items.map((entry) => (
            <li key={entry.id}>
              {sentence(of, entry)} <time dateTime={entry.timestamp}>{time(entry.timestamp)}</time>
            </li>
          ))}
        </ol>
        <More list={entries} />
      </>
    )}
  </Shown>
)
