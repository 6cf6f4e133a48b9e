import { expect, test } from 'bun:test'
import { casesOf, qualityCase } from '../../../testing/cases.ts'
import { inboxOf } from '../../../testing/inbox.ts'
import { marketplaceWithWorkers } from '../../../testing/marketplace.ts'
import { act } from '../../../testing/people.ts'
import { rfqParties } from '../../../testing/rfqs.ts'
import { until } from '../../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { maker, open } = await rfqParties(market)
const { client } = maker.administrator
const cases = casesOf(client)

test.each(['deactivate', 'anonymise'])('the open tasks of a user after %s wait for every colleague', async (verb) => {
  const [leaver, stayer] = [await maker.member(['case:read']), await maker.member(['case:read', 'case:manage'])]
  const tasks = cases.tasks((await cases.create(qualityCase({ rfqId: await open() }))).body.id)
  const taskFor = async (assigneeUserId: string) => (await tasks.create({ title: 'Report', assigneeUserId })).body.id
  const [first, done, other] = [
    await taskFor(leaver.userId),
    await taskFor(leaver.userId),
    await taskFor(stayer.userId),
  ]
  await tasks.act(done, 'complete')
  expect(await inboxOf(client).kinds(first)).toEqual([])
  await act(client, leaver.userId, verb)
  await until(async () => (await inboxOf(client).kinds(first)).length > 0)
  const userOf = async (id: string) => (await tasks.read(id)).body.assigneeUserId
  expect([await userOf(first), await userOf(done), await userOf(other)]).toEqual([
    undefined,
    leaver.userId,
    stayer.userId,
  ])
  expect([await inboxOf(stayer.client).kinds(first), await inboxOf(client).kinds(other)]).toEqual([['TASK'], []])
})
