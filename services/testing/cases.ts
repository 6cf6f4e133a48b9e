import type { CaseEvent } from '../../proto/events/events.ts'
import type { CaseExpense } from '../../proto/http/sourcing/case-expenses.ts'
import type { CaseMessage } from '../../proto/http/sourcing/case-messages.ts'
import type { CaseTask } from '../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../proto/http/sourcing/cases.ts'
import type { ApiAnswer, ApiClient } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'
import type { Page, Problem } from './people.ts'

type Answer<T> = Promise<ApiAnswer<T & Problem>>
type Headers = Record<string, string>

const PATH = '/flows/v1/cases'

export const qualityCase = (more: object = {}) => ({ kind: 'QUALITY', title: 'Porosity at the flange', ...more })

/** The requests about cases of one client. */
export const casesOf = (client: ApiClient) => ({
  create: (body: object, headers: Headers = {}): Answer<Case> => client.post(PATH, body, headers),
  read: (id: string): Answer<Case> => client.get(`${PATH}/${id}`),
  list: (query = ''): Answer<Page<Case>> => client.get(`${PATH}${query}`),
  patch: (id: string, body: unknown, headers: Headers = {}): Answer<Case> =>
    client.send('PATCH', `${PATH}/${id}`, { body, headers }),
  act: (id: string, verb: string): Answer<Case> => client.post(`${PATH}/${id}/${verb}`),
  write: (id: string, text: string, more: object = {}): Answer<CaseMessage> =>
    client.post(`${PATH}/${id}/messages`, { text, ...more }),
  messages: (id: string, query = ''): Answer<Page<CaseMessage>> => client.get(`${PATH}/${id}/messages${query}`),
  markRead: (id: string, messageId?: string): Answer<Case> =>
    client.post(`${PATH}/${id}/read`, messageId === undefined ? undefined : { messageId }),
  tasks: <T = CaseTask>(id: string) => collectionOf<T>(client, `${PATH}/${id}/tasks`),
  expenses: <T = CaseExpense>(id: string) => collectionOf<T>(client, `${PATH}/${id}/expenses`),
})

/** The requests about the records of a case. */
const collectionOf = <T>(client: ApiClient, path: string) => ({
  create: (body: object, headers: Headers = {}): Answer<T> => client.post(path, body, headers),
  list: (query = ''): Answer<Page<T>> => client.get(`${path}${query}`),
  read: (id: string): Answer<T> => client.get(`${path}/${id}`),
  patch: (id: string, body: unknown, headers: Headers = {}): Answer<T> =>
    client.send('PATCH', `${path}/${id}`, { body, headers }),
  act: (id: string, verb: string, body?: object, headers: Headers = {}): Answer<T> =>
    client.post(`${path}/${id}/${verb}`, body, headers),
  remove: (id: string): Answer<T> => client.send('DELETE', `${path}/${id}`),
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
