import type { Question } from '../../proto/http/sourcing/rfq-questions.ts'
import { newId } from '../kit/db/ids.ts'
import type { ApiClient } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'
import type { Answer, Page } from './people.ts'

export const TO_ASKER = { text: 'Yes.', audience: 'ASKER' } as const
export const TO_ALL = { text: 'Yes.', audience: 'ALL', publishedText: 'Are other powders allowed?' } as const

/** The requests about questions of one client. */
export const questionsOf = (client: ApiClient) => ({
  ask: (rfqId: string, text = 'May we use our powder?', headers: Record<string, string> = {}): Answer<Question> =>
    client.post(`/flows/v1/rfqs/${rfqId}/questions`, { text }, headers),
  list: (rfqId: string, query = ''): Answer<Page<Question>> => client.get(`/flows/v1/rfqs/${rfqId}/questions${query}`),
  answer: (rfqId: string, id: string, body: object = TO_ASKER): Answer<Question> =>
    client.post(`/flows/v1/rfqs/${rfqId}/questions/${id}/answer`, body),
  dismiss: (rfqId: string, id: string): Answer<Question> =>
    client.post(`/flows/v1/rfqs/${rfqId}/questions/${id}/dismiss`),
  clarify: (rfqId: string, text = 'Bores may be reamed.'): Answer<Question> =>
    client.post(`/flows/v1/rfqs/${rfqId}/clarifications`, { text }),
})

/** Inserts unanswered questions of an organization, or clarifications, and returns their ids. */
export async function insertQuestions(
  { db }: Pick<TestMarketplace, 'db'>,
  { rfqId, orgId }: { rfqId: string; orgId: string | null },
  count = 1,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('question'))
  await (orgId === null
    ? db.owner`
        insert into sourcing.rfq_questions (
          id, rfq_id, state, audience, answer, answered_by_org_id, published_id, created_at, answered_at)
        select id, ${rfqId}, 'ANSWERED', 'ALL', 'Yes.', 'org_1', id, now(), now() from unnest(${ids}::text[]) id`
    : db.owner`
        insert into sourcing.rfq_questions (id, rfq_id, org_id, state, text, created_at)
        select id, ${rfqId}, ${orgId}, 'ASKED', 'Why?', now() from unnest(${ids}::text[]) id`)
  return ids
}
