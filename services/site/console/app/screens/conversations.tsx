import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Case } from '../api.ts'
import { caseTitle } from '../case-title.ts'
import { useList } from '../data.ts'
import { permits } from '../me.ts'
import { t } from '../texts.ts'
import { ItemList } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { Expenses } from './case-expenses.tsx'
import { Messages, Unread } from './case-messages.tsx'
import { Tasks } from './case-tasks.tsx'
import { Partners } from './cases.tsx'

interface ConversationsProps {
  /** The RFQ whose cases are shown. */
  rfqId: string
  /** The order whose cases are shown, and of those of its RFQ only that with its manufacturer. */
  order?: { id: string; manufacturerOrgId: string }
}

/** The conversations about a record, and the chosen one with its messages, tasks and expenses. */
export const Conversations = (props: ConversationsProps) =>
  permits('GET /flows/v1/cases') ? <Listed {...props} /> : null

const CASES = '/flows/v1/cases'

function Listed({ rfqId, order }: ConversationsProps) {
  const ofRfq = useList(CASES, { query: { rfqId, pageSize: 50 } })
  const ofOrder = useList(order && CASES, { query: { orderId: order?.id ?? '', pageSize: 50 } })
  const chosenId = useSignal<string | undefined>(undefined)
  const isRead = !order || ofOrder.data !== undefined || ofOrder.error !== undefined
  const all =
    ofRfq.data && isRead
      ? [
          ...(ofOrder.data ?? []),
          ...ofRfq.data.filter(({ partyOrgIds }) => !order || partyOrgIds.includes(order.manufacturerOrgId)),
        ]
      : undefined
  const shared = all?.filter(({ partyOrgIds }) => partyOrgIds.length > 1)
  const single = shared?.length === 1 ? shared[0] : undefined
  // The one that is shown stays when another one begins.
  useEffect(() => {
    if (single) chosenId.value = single.id
  }, [single?.id])
  const chosen = single ?? shared?.find(({ id }) => id === chosenId.value)
  const choose = ({ id }: Case) => {
    chosenId.value = id === chosenId.value ? undefined : id
  }
  return (
    <>
      <Section title={t.messages.conversations}>
        <ItemList list={{ error: ofRfq.error ?? ofOrder.error, data: shared }} empty={t.messages.noConversation}>
          {(record) => (
            <Entry
              key={record.id}
              record={record}
              isChosen={record === chosen}
              onChoose={single ? undefined : () => choose(record)}
            />
          )}
        </ItemList>
      </Section>
      {chosen && <Conversation key={chosen.id} record={chosen} />}
    </>
  )
}

interface EntryProps {
  record: Case
  isChosen: boolean
  /** Undefined where there is no other one. */
  onChoose: (() => void) | undefined
}

const Entry = ({ record, isChosen, onChoose }: EntryProps) => (
  <li>
    <span>
      <a href={`/console/cases/${record.id}`}>{caseTitle(record)}</a> <Badge of="case" state={record.state} />{' '}
      <Unread of={record} />
      <br />
      <small class="quiet">
        <Partners of={record} />
      </small>
    </span>
    {onChoose && (
      <span class="actions">
        <button type="button" aria-expanded={isChosen} onClick={onChoose}>
          {isChosen ? t.messages.hide : t.messages.show}
        </button>
      </span>
    )}
  </li>
)

function Conversation({ record }: { record: Case }) {
  const part = { record, mayEdit: record.state === 'OPEN' && permits('PATCH /flows/v1/cases/{id}') }
  return (
    <>
      <Messages {...part} />
      <Tasks {...part} />
      <Expenses {...part} />
    </>
  )
}
