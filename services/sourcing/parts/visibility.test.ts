import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { mayRead } from './rules.ts'
import { isReadable } from './visibility.ts'

const db = await testDatabase()
await loadParts(db.owner, { count: 120, organizations: 3 })
await db.owner`update sourcing.parts set state = 'ARCHIVED' where id like '%5' or id like '%4'`

interface Row {
  owner: string
  state: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED'
  internal: boolean
  readable: boolean
}

test.each(['org_0', 'org_1', 'org_unknown'])(
  'the rule and the SQL condition agree on every part for %s',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
    select distinct ip_owner_org_id as owner, state, internal, ${isReadable(db.owner, orgId)} as readable
    from sourcing.parts`
    for (const { owner, state, internal, readable } of rows) {
      expect(readable).toBe(mayRead({ ipOwnerOrgId: owner, state, internal }, orgId))
    }
    const readable = rows.filter((row) => row.readable)
    expect(readable.length).toBeGreaterThan(0)
    expect(readable.length).toBeLessThan(rows.length)
    expect(new Set(rows.map(({ state, internal }) => `${state} ${internal}`)).size).toBeGreaterThan(3)
  },
)
