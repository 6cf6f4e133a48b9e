import { expect, test } from 'bun:test'
import { testDatabase } from '../../../services/testing/database.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { run } from '../../toolchain/run.ts'

const { owner, ownerUrl } = await testDatabase()
const deadLetters = (...words: string[]) =>
  run([BUN, commandFile('operator'), 'dead-letters', ...words], {
    env: { PATH: process.env.PATH, DATABASE_URL: ownerUrl },
  })

test('dead letters are listed, shown and discarded', async () => {
  expect(await deadLetters('list')).toEqual({ code: 0, output: 'There are no dead letters.\n' })
  await owner`
    insert into webhooks.dead_letters (consumer, event_id, type, subject, envelope, tries, error, given_up_at)
    values ('ingest', 'evt_1', 'cases.created', 'case_1', '{"id":"evt_1"}', 5, ${'Error: no\n  at x'}, '2026-04-29T09:10:00Z'),
      ('ingest', 'NOTIFICATIONS:7', null, null, 'no event', 0, 'not JSON', '2026-04-29T09:11:00Z')`
  expect(await deadLetters('list')).toEqual({
    code: 0,
    output:
      'webhooks/ingest evt_1 cases.created case_1 2026-04-29T09:10:00.000Z Error: no at x\n' +
      'webhooks/ingest NOTIFICATIONS:7 no event 2026-04-29T09:11:00.000Z not JSON\n',
  })
  expect(await deadLetters('show', 'webhooks/ingest', 'evt_1')).toEqual({
    code: 0,
    output: 'Given up at 2026-04-29T09:10:00.000Z after 5 attempts: Error: no at x\n{"id":"evt_1"}\n',
  })
  expect(await deadLetters('discard', 'webhooks/ingest', 'evt_1')).toEqual({
    code: 0,
    output: 'webhooks/ingest will not process evt_1.\n',
  })
  expect(await owner`select event_id from webhooks.dead_letters`).toMatchObject([{ event_id: 'NOTIFICATIONS:7' }])
})

test.each([
  [['show', 'webhooks/ingest', 'evt_2'], 'webhooks/ingest has no dead letter evt_2.'],
  [['discard', 'webhooks/ingest', 'evt_2'], 'webhooks/ingest has no dead letter evt_2.'],
  [['show', 'ingest', 'evt_2'], 'ingest is not a service and a consumer, such as webhooks/ingest.'],
])('dead-letters %p: refused in a sentence', async (words, sentence) => {
  expect(await deadLetters(...words)).toEqual({ code: 1, output: `${sentence}\n` })
})
