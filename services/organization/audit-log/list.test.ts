import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { AuditLogEntry, AuditLogEntryDetail } from '../../../proto/http/organization/audit-log.ts'
import { newId } from '../../kit/db/ids.ts'
import { marketplaceOf, type TestUser } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const other = await market.organization(['IP_OWNER'])
const member = await org.member([])
const { owner } = market.db
const isEntry = TypeCompiler.Compile(AuditLogEntry)
const isDetail = TypeCompiler.Compile(AuditLogEntryDetail)

interface Written {
  procedure?: string
  timestamp?: string
  error?: string
  actor?: TestUser
  orgId?: string
  grantId?: string
  id?: string
}

async function write(entries: Written[]): Promise<string[]> {
  const ids: string[] = []
  for (const { procedure = 'part.create', timestamp, error, actor = member, orgId, grantId, id } of entries) {
    const entryId = id ?? newId('audit')
    await owner`
      insert into organization.audit_log (id, org_id, timestamp, procedure, success, error, actor_id, grant_id)
      values (${entryId}, ${orgId ?? actor.orgId}, coalesce(${timestamp ?? null}, now()), ${procedure},
        ${error === undefined}, ${error ?? null}, ${actor.userId}, ${grantId ?? null})`
    ids.push(entryId)
  }
  return ids
}

type List = { items: AuditLogEntry[]; hasMore: boolean }
const list = (search: string, user: TestUser = org.administrator) => user.client.get<List>(`/v1/audit-log${search}`)
const idsOf = async (search: string) => (await list(search)).body.items.map(({ id }) => id)

describe('access', () => {
  test('needs org:admin, for the list and for one entry', async () => {
    const [id] = await write([{}])
    expect((await list('', member)).status).toBe(403)
    expect((await member.client.get(`/v1/audit-log/${id}`)).status).toBe(403)
    expect((await org.administrator.client.get(`/v1/audit-log/${id}`)).status).toBe(200)
  })

  test('lists only entries of the own organization; an entry of another one is 404, the same as an unknown one', async () => {
    const [id = ''] = await write([{}])
    const options = { headers: { 'x-request-id': 'same' } }
    const foreign = await other.administrator.client.get(`/v1/audit-log/${id}`, options)
    const unknownId = newId('audit')
    const unknown = await other.administrator.client.get(`/v1/audit-log/${unknownId}`, options)
    expect(foreign.status).toBe(404)
    expect(foreign.text.replace(id, '')).toBe(unknown.text.replace(unknownId, ''))
    const seen = (await list('?pageSize=50', other.administrator)).body.items
    expect(seen.map((entry) => entry.id)).not.toContain(id)
    const byActor = await list(`?actorId=${member.userId}`, other.administrator)
    expect(byActor.body).toEqual({ items: [], hasMore: false })
  })
})

describe('an entry', () => {
  test('of a command has procedure, time, actor and address; the request is only in the single entry', async () => {
    const { client } = org.administrator
    const created = await client.post('/v1/parts', { title: 'Audited' }, { 'user-agent': 'tester/1' })
    expect(created.status).toBe(200)
    const [entry] = (await list('?procedure=part.create&pageSize=1')).body.items
    if (!entry) throw new Error('no entry was listed')
    expect(isEntry.Check(entry)).toBe(true)
    expect(entry).toMatchObject({
      procedure: 'part.create',
      success: true,
      ipAddress: '127.0.0.1',
      actor: { id: org.administrator.userId, email: org.administrator.email, name: expect.stringContaining('Test ') },
    })
    expect(entry).not.toHaveProperty('request')
    const detail = await client.get<AuditLogEntryDetail>(`/v1/audit-log/${entry.id}`)
    expect(isDetail.Check(detail.body)).toBe(true)
    expect(detail.body).toEqual({
      ...entry,
      userAgent: 'tester/1',
      request: expect.objectContaining({ title: 'Audited' }),
    })
    expect(detail.body).not.toHaveProperty('impersonationDetail')
    const tag = detail.headers.get('etag') as string
    expect((await client.get(`/v1/audit-log/${entry.id}`, { headers: { 'if-none-match': tag } })).status).toBe(304)
  })

  test('of a refusal has its error code', async () => {
    expect((await member.client.post('/v1/parts', { title: 'Refused' })).status).toBe(403)
    const [entry] = (await list(`?actorId=${member.userId}&failedOnly=true&pageSize=1`)).body.items
    expect(entry).toMatchObject({ procedure: 'part.create', success: false, error: 'forbidden' })
  })

  test('of an erased user has the address `erased` and no name', async () => {
    const gone = await org.member([])
    await write([{ actor: gone }])
    await owner`update organization.users set email = 'erased' where id = ${gone.userId}`
    const [entry] = (await list(`?actorId=${gone.userId}&pageSize=1`)).body.items
    expect(entry?.actor).toEqual({ id: gone.userId, email: 'erased' })
  })
})

test('pages past the end are empty', async () => {
  for (const page of [2001, 100_000, 2_147_483_647]) {
    expect((await list(`?page=${page}&pageSize=50`)).body).toEqual({ items: [], hasMore: false })
  }
})

describe('filters', () => {
  const [early, late] = ['2026-01-10T08:00:00.000Z', '2026-03-10T08:00:00.000Z']
  const day = (date: string) => `2025-${date}T08:00:00.000Z`

  test('lists newest first, the highest id first among equal times', async () => {
    const ids = ['audit_tie_a', 'audit_tie_c', 'audit_tie_b'].map((id) => ({ id, timestamp: day('01-05') }))
    await write([...ids, { id: 'audit_tie_d', timestamp: day('01-04') }])
    const period = `from=${day('01-04')}&to=${day('01-05')}`
    expect(await idsOf(`?${period}`)).toEqual(['audit_tie_c', 'audit_tie_b', 'audit_tie_a', 'audit_tie_d'])
    expect((await list(`?${period}&pageSize=3`)).body.hasMore).toBe(true)
    expect(await idsOf(`?${period}&pageSize=3&page=2`)).toEqual(['audit_tie_d'])
    const past = await list(`?${period}&page=2147483647&pageSize=50`)
    expect(past.body).toEqual({ items: [], hasMore: false })
  })

  test.each(['', '&hideSignIns=true', '&q=paged'])(
    'consecutive pages%s repeat and skip nothing while entries are added',
    async (filter) => {
      const colleague = await org.invite()
      const actor = { ...member, userId: colleague.userId }
      await owner`update organization.users set email = ${`paged-${colleague.userId}@example.com`} where id = ${actor.userId}`
      const there = await write(
        Array.from({ length: 12 }, (_, n) => ({ actor, timestamp: `2025-11-0${1 + (n % 9)}T10:00:00.000Z` })),
      )
      const read: string[] = []
      for (let page = 1; ; page++) {
        const { body } = await list(`?actorId=${actor.userId}&pageSize=5&page=${page}${filter}`)
        read.push(...body.items.map(({ id }) => id))
        if (!body.hasMore) break
        await write([{ actor }, { actor }])
      }
      expect(read.toSorted()).toEqual(there.toSorted())
    },
  )

  test('from and to are inclusive, with any offset', async () => {
    const [first = '', second = ''] = await write([{ timestamp: early }, { timestamp: late }])
    expect(await idsOf(`?from=${early}&to=${late}`)).toEqual([second, first])
    expect(await idsOf(`?from=2026-01-10T09:00:00.000%2B01:00&to=2026-01-10T06:00:00-02:00`)).toEqual([first])
    expect(await idsOf(`?from=2026-01-10T08:00:00.001Z&to=2026-03-10T07:59:59.999Z`)).toEqual([])
    expect(await idsOf(`?from=${late}&to=${early}`)).toEqual([])
  })

  test.each([
    'from=2026-02-30T00:00:00Z',
    'to=2026-02-30T00:00:00Z',
    'from=2026-01-10T08:00:00',
    'from=2026-01-10',
    'to=+275760-09-13T00:00:00Z',
    'from=',
    'failedOnly=1',
    'hideSignIns=True',
    'impersonatedOnly=',
    'page=0',
    'pageSize=51',
  ])('%s is 400', async (search) => {
    expect((await list(`?${search}`)).status).toBe(400)
  })

  test('q is a substring of the action or of the address, without case and without wildcards', async () => {
    const anna = await org.member([])
    const [byAddress = ''] = await write([{ actor: anna, procedure: 'upload.create', timestamp: day('03-01') }])
    const [byAction = ''] = await write([{ procedure: 'businessUnit.create', timestamp: day('03-02') }])
    const period = `from=${day('03-01')}&to=${day('03-02')}`
    const part = anna.email.slice(2, 14).toUpperCase()
    expect(await idsOf(`?${period}&q=${encodeURIComponent(part)}`)).toEqual([byAddress])
    expect(await idsOf(`?${period}&q=NESSUNIT.C`)).toEqual([byAction])
    expect(await idsOf(`?${period}&q=example.com`)).toEqual([byAction, byAddress])
    expect(await idsOf(`?${period}&q=`)).toEqual([byAction, byAddress])
    for (const nothing of ['%25', '_', '%5C', 'nobody@', 'Test'])
      expect(await idsOf(`?${period}&q=${nothing}`)).toEqual([])
  })

  test('q that matches by action and by address lists an entry once', async () => {
    const actor = await org.member([])
    await owner`update organization.users set email = ${`part.create-${actor.userId}@example.com`} where id = ${actor.userId}`
    const ids = await write([{ actor, timestamp: day('04-01') }, { timestamp: day('04-02') }])
    const period = `from=${day('04-01')}&to=${day('04-02')}`
    expect(await idsOf(`?${period}&q=part.create`)).toEqual(ids.toReversed())
    expect(await idsOf(`?${period}&q=part.create&actorId=${actor.userId}`)).toEqual([ids[0] as string])
    expect(await idsOf(`?${period}&q=part.create-&procedure=part.create`)).toEqual([ids[0] as string])
    expect(await idsOf(`?${period}&q=part.create-&procedure=auth.signIn`)).toEqual([])
  })

  test('procedure is exact, and an unknown one lists nothing', async () => {
    const [id = ''] = await write([{ procedure: 'role.grant', timestamp: day('05-01') }])
    const period = `from=${day('05-01')}&to=${day('05-01')}`
    expect(await idsOf(`?${period}&procedure=role.grant`)).toEqual([id])
    for (const name of ['role.gran', 'ROLE.GRANT', 'nothing', '']) {
      expect(await idsOf(`?${period}&procedure=${name}`)).toEqual([])
    }
  })

  test('failedOnly, impersonatedOnly and hideSignIns filter; false counts as not sent', async () => {
    const [signIn = '', refused = '', done = '', acted = ''] = await write([
      { procedure: 'auth.signIn', timestamp: day('06-01') },
      { procedure: 'auth.signIn', timestamp: day('06-02'), error: 'invalid_credentials' },
      { timestamp: day('06-03') },
      { timestamp: day('06-04'), grantId: 'grant_1' },
    ])
    const period = `from=${day('06-01')}&to=${day('06-04')}`
    const all = [acted, done, refused, signIn]
    expect(await idsOf(`?${period}&failedOnly=false&impersonatedOnly=false&hideSignIns=false`)).toEqual(all)
    expect(await idsOf(`?${period}&hideSignIns=true`)).toEqual([acted, done, refused])
    expect(await idsOf(`?${period}&failedOnly=true`)).toEqual([refused])
    expect(await idsOf(`?${period}&impersonatedOnly=true`)).toEqual([acted])
    expect(await idsOf(`?${period}&impersonatedOnly=true&failedOnly=true`)).toEqual([])
    expect(await idsOf(`?${period}&hideSignIns=true&procedure=auth.signIn`)).toEqual([refused])
    expect(await idsOf(`?${period}&hideSignIns=true&q=signin&actorId=${member.userId}`)).toEqual([refused])
  })
})
