import type { CaseEvent } from '../../proto/events/events.ts'
import type { CaseExpense } from '../../proto/http/sourcing/case-expenses.ts'
import type { CaseMessage } from '../../proto/http/sourcing/case-messages.ts'
import type { CaseTask } from '../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../proto/http/sourcing/cases.ts'
import type { ApiClient } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'
import { type Answer, collectionOf, type Page } from './people.ts'

const PATH = '/flows/v1/cases'

export const qualityCase = (more: object = {}) => ({ kind: 'QUALITY', title: 'Porosity at the flange', ...more })

/** The requests about cases of one client. */
export const casesOf = (client: ApiClient) => ({
  ...collectionOf<Case>(client, PATH),
  write: (id: string, text: string, more: object = {}): Answer<CaseMessage> =>
    client.post(`${PATH}/${id}/messages`, { text, ...more }),
  messages: (id: string, query = ''): Answer<Page<CaseMessage>> => client.get(`${PATH}/${id}/messages${query}`),
  markRead: (id: string, messageId?: string): Answer<Case> =>
    client.post(`${PATH}/${id}/read`, messageId === undefined ? undefined : { messageId }),
  tasks: <T = CaseTask>(id: string) => collectionOf<T>(client, `${PATH}/${id}/tasks`),
  expenses: <T = CaseExpense>(id: string) => collectionOf<T>(client, `${PATH}/${id}/expenses`),
})

/** A case as events have it: without what only one organization reads. */
export const inEvents = ({ unreadCount: _, ...shared }: Case): Case => shared

export type EmittedCaseEvent = CaseEvent & { id: string; tenantId: string; subject: string }

/** The events of cases, oldest first. */
export async function caseEvents({ db }: TestMarketplace): Promise<EmittedCaseEvent[]> {
  const rows = await db.owner<{ id: string; type: string; tenant_id: string; subject: string; data: string }[]>`
    select id, type, tenant_id, subject, data::text as data from sourcing.outbox where type like 'cases.%' order by seq`
  return rows.map(
    ({ tenant_id: tenantId, data, ...row }) => ({ ...row, tenantId, data: JSON.parse(data) }) as EmittedCaseEvent,
  )
}

/** The events of cases that the work emits. */
export async function caseEventsOf(market: TestMarketplace, work: () => Promise<unknown>): Promise<EmittedCaseEvent[]> {
  const before = new Set((await caseEvents(market)).map(({ id }) => id))
  await work()
  return (await caseEvents(market)).filter(({ id }) => !before.has(id))
}
