import { loadInbox } from '../../../../services/testing/load/inbox.ts'
import { asOwner } from '../../../../services/testing/load/owner.ts'
import { quantile } from '../compare.ts'
import type { Section } from '../context.ts'
import { writingTrader } from '../database.ts'
import { readPage, timesOf } from '../lists.ts'
import { signIn } from '../services.ts'

const ORG = writingTrader(31)
/** Records of each of fourteen kinds: together more than ten thousand. */
const RECORDS = 900
const REQUESTS = 200

/** The inbox of an organization with more than ten thousand open records: its first page, and the tenth. */
export const measureInbox: Section = async function* (context) {
  const { database } = context
  const client = await signIn(context, 'sourcing', ORG)
  await asOwner(database.ownerUrl, async (owner) => {
    const [{ id: userId }] = await owner<[{ id: string }]>`
      select id from organization.users where org_id = ${ORG} order by id limit 1`
    await loadInbox(owner, { orgId: ORG, userId, count: RECORDS, prefix: `inbox${Date.now()}_` })
  })
  for (const [what, path] of [
    ['first page', '/flows/v1/inbox'],
    ['page 10', '/flows/v1/inbox?page=10'],
  ] as const) {
    for (let n = 0; n < 10; n++) await readPage(client, path)
    const times = await timesOf(
      client,
      Array.from({ length: REQUESTS }, () => path),
    )
    const measured = quantile(times, 0.95)
    yield {
      what: `GET ${path.split('?')[0]}, the ${what} of ${14 * RECORDS} open records`,
      reference: '',
      ...measured,
      wanted: { atMost: 50 },
    }
  }
}
