import type { InboxItem } from '../../proto/http/sourcing/inbox.ts'
import type { ApiClient } from './client.ts'
import type { Answer, Page } from './people.ts'

/** The requests about the inbox of one client. */
export const inboxOf = (client: ApiClient) => {
  const list = (query = ''): Answer<Page<InboxItem>> => client.get(`/flows/v1/inbox${query}`)
  return {
    list,
    /** The items about a record, or about the records of a case or an RFQ, newest first. */
    async about(id: string): Promise<InboxItem[]> {
      const { items } = (await list('?pageSize=50')).body
      return items.filter(({ record, parent }) => record.id === id || parent?.id === id)
    },
    /** The kinds of the items about a record. */
    async kinds(id: string): Promise<string[]> {
      return (await this.about(id)).map(({ kind }) => kind)
    },
  }
}
