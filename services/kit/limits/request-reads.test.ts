import { expect, test } from 'bun:test'
import { getJwks } from '../../../proto/http/identity/discovery.ts'
import { listUsers, patchUser } from '../../../proto/http/organization/users.ts'
import { batchGetParts } from '../../../proto/http/sourcing/part-lifecycle.ts'
import { testDatabase } from '../../testing/database.ts'
import { connect, type Sql } from '../db/client.ts'
import { PipelinedReads } from '../db/pipelined-reads.ts'
import { ReadShares } from './request-reads.ts'

const db = await testDatabase()

/** Reads whose sessions have a name. */
function readsOf(applicationName: string) {
  const pool = connect(db.ownerUrl, { max: 1, applicationName })
  db.beforeDrop(() => pool.end({ timeout: 1 }))
  return new PipelinedReads(pool)
}
const shares = new ReadShares({ reads: readsOf('standby'), primaryReads: readsOf('primary') }, { size: 8 })
const request = { signal: new AbortController().signal }
const server = async (sql: Sql) =>
  (await sql<[{ name: string }]>`select current_setting('application_name') as name`)[0].name

test.each([
  ['a list', listUsers, 'standby'],
  ['a POST that changes nothing', batchGetParts, 'standby'],
  ['a command', patchUser, 'primary'],
  ['an operation without a caller', getJwks, 'primary'],
])('%s reads from the server that it may use', async (_, operation, expected) => {
  const { read, longRead } = shares.of(request, 'org_1', operation)
  expect([await read(server), await longRead(server), await longRead(server, 'seconds')]).toEqual(
    Array(3).fill(expected),
  )
})
