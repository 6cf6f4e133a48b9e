import { describe, expect, test } from 'bun:test'
import { ENTERPRISE, GROUP, PATCH_OP, scimWorld, USER } from '../../testing/scim.ts'

/** The requests of Entra ID, in its order and spelling. */
const { market, admin, domain, full: entra } = await scimWorld()
const base = `${market.config.PUBLIC_URL}/scim/v2`

/** A user as Entra ID sends one. */
const newUser = (local: string) => ({
  schemas: [USER, ENTERPRISE],
  externalId: `ext-${local}`,
  userName: `${local}@${domain}`,
  active: true,
  addresses: [{ primary: false, type: 'work', country: 'DK' }],
  displayName: 'Ida Holm',
  emails: [{ primary: true, type: 'work', value: `${local}@${domain}` }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Ida Holm', familyName: 'Holm', givenName: 'Ida' },
  roles: [],
  title: 'Engineer',
  [ENTERPRISE]: { department: 'Design' },
})

test('the test of the connection asks for a user that does not exist', async () => {
  const answer = await entra.get(`/Users?filter=userName+eq+%22${crypto.randomUUID()}%22`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/scim+json')
  expect<object>(answer.body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  })
})

describe('a user', () => {
  test('is looked up, created, found, changed, disabled and enabled again', async () => {
    const userName = `ida@${domain}`
    expect(await entra.filter('/Users', `userName eq "${userName}"`)).toEqual([])
    const created = await entra.post('/Users', newUser('ida'))
    const { id, meta } = created.body
    expect(created.status).toBe(201)
    expect([created.headers.get('location'), created.headers.get('etag')]).toEqual([
      `${base}/Users/${id}`,
      meta.version,
    ])
    expect<object>(created.body).toEqual({
      schemas: [USER],
      id: expect.stringMatching(/^user_/),
      externalId: 'ext-ida',
      userName,
      name: { formatted: 'Ida Holm', givenName: 'Ida', familyName: 'Holm' },
      displayName: 'Ida Holm',
      emails: [{ value: userName, type: 'work', primary: true }],
      active: true,
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: meta.created,
        location: `${base}/Users/${id}`,
        version: expect.stringMatching(/^"\w+"$/),
      },
    })
    const read = await entra.get(`/Users/${id}`)
    expect([read.text, read.headers.get('etag')]).toEqual([created.text, meta.version])
    expect((await entra.filter('/Users', `userName eq "${userName.toUpperCase()}"`)).map((user) => user.id)).toEqual([
      id,
    ])

    const renamed = await entra.operate(
      `/Users/${id}`,
      { op: 'Replace', path: 'name.familyName', value: 'Lund' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: `ida.lund@${domain}` },
      { op: 'Add', path: 'title', value: 'Lead engineer' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
    )
    expect([renamed.status, renamed.body.userName, renamed.body.name.formatted]).toEqual([
      200,
      `ida.lund@${domain}`,
      'Ida Lund',
    ])
    expect(renamed.body.meta.version).not.toBe(meta.version)

    const disabled = await entra.operate(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'False' })
    expect([disabled.status, disabled.body.active]).toEqual([200, false])
    const { body } = await admin.get<{ active: boolean }>(`/v1/users/${id}`)
    expect(body.active).toBe(false)
    const enabled = await entra.operate(`/Users/${id}`, { op: 'Replace', value: { active: 'True' } })
    expect([enabled.status, enabled.body.active]).toEqual([200, true])
  })

  test('changes by values without a path, with paths as names and in any case', async () => {
    const { id } = await entra.created('/Users', newUser('jens'))
    const { status, body } = await entra.patch(`/Users/${id}`, {
      SCHEMAS: [PATCH_OP],
      operations: [
        {
          OP: 'add',
          Value: {
            'NAME.givenname': 'Jens',
            'emails[type eq "work"].value': `jens.b@${domain}`,
            name: { FamilyName: 'Bro' },
            externalID: 'other',
            'phoneNumbers[type eq "mobile"].value': '+45 20 12 34 56',
          },
        },
      ],
    })
    expect([status, body.name.formatted, body.userName, body.externalId]).toEqual([
      200,
      'Jens Bro',
      `jens.b@${domain}`,
      'other',
    ])
  })

  test('of another address than userName keeps userName, which both name', async () => {
    const { id } = await entra.created('/Users', {
      ...newUser('kim'),
      emails: [{ type: 'work', primary: true, value: 'kim@elsewhere.example.org' }],
    })
    const { body } = await entra.operate(
      `/Users/${id}`,
      { op: 'Replace', path: 'userName', value: `kim.b@${domain}` },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'kim@elsewhere.example.org' },
    )
    expect([body.userName, body.emails]).toEqual([
      `kim.b@${domain}`,
      [{ value: `kim.b@${domain}`, type: 'work', primary: true }],
    ])
  })

  test('loses its external id and a name by Remove, and its phone without effect', async () => {
    const { id } = await entra.created('/Users', newUser('lis'))
    const { status, body } = await entra.operate(
      `/Users/${id}`,
      { op: 'Remove', path: 'externalId' },
      { op: 'Remove', path: 'name.givenName' },
      { op: 'Remove', path: 'phoneNumbers[type eq "work"].value' },
      { op: 'Remove', path: 'emails[type eq "work"].value' },
    )
    expect([status, body.externalId, body.name.givenName, body.userName]).toEqual([
      200,
      undefined,
      'lis',
      `lis@${domain}`,
    ])
  })

  test('who leaves is deleted: deactivated, and found again by the next look-up', async () => {
    const { id, userName } = await entra.created('/Users', newUser('mads'))
    const deleted = await entra.delete(`/Users/${id}`)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await entra.delete(`/Users/${id}`)).status).toBe(204)
    const [found] = await entra.filter('/Users', `userName eq "${userName}"`)
    expect([found?.id, found?.active]).toEqual([id, false])
    const again = await entra.post('/Users', newUser('mads'))
    expect([again.status, again.body.scimType, again.body.status]).toEqual([409, 'uniqueness', '409'])
  })

  test('is found by its external id, which is compared exactly', async () => {
    const { id } = await entra.created('/Users', newUser('nora'))
    expect((await entra.filter('/Users', 'EXTERNALID Eq "ext-nora"')).map((user) => user.id)).toEqual([id])
    expect(await entra.filter('/Users', 'externalId eq "EXT-NORA"')).toEqual([])
    expect((await entra.filter('/Users', `${USER}:userName eq "nora@${domain}"`)).length).toBe(1)
  })
})

describe('a group', () => {
  const newGroup = (displayName: string) => ({
    schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: `ext-${displayName}`,
    displayName,
    meta: { resourceType: 'Group' },
  })
  const membersOf = async (id: string) => (await entra.get(`/Groups/${id}`)).body.members.map(({ value }) => value)

  test('is looked up, created, renamed, gets and loses members, and is deleted', async () => {
    const one = await entra.created('/Users', newUser('otto'))
    const two = await entra.created('/Users', newUser('pia'))
    const look = await entra.get('/Groups?excludedAttributes=members&filter=displayName+eq+%22Design%22')
    expect([look.status, look.body.totalResults]).toEqual([200, 0])
    const created = await entra.post('/Groups', newGroup('Design'))
    const { id, meta } = created.body
    expect([created.status, created.headers.get('location')]).toEqual([201, `${base}/Groups/${id}`])
    expect<object>(created.body).toEqual({
      schemas: [GROUP],
      id: expect.stringMatching(/^role_/),
      externalId: 'ext-Design',
      displayName: 'Design',
      members: [],
      meta: {
        resourceType: 'Group',
        created: expect.any(String),
        location: `${base}/Groups/${id}`,
        version: expect.stringMatching(/^"\w+"$/),
      },
    })
    const { body: role } = await admin.get<{ permissions: string[] }>(`/v1/roles/${id}`)
    expect(role.permissions).toEqual([])
    const without = await entra.get(`/Groups/${id}?excludedAttributes=members`)
    expect([without.status, 'members' in without.body, without.headers.get('etag')]).toEqual([200, false, meta.version])

    const renamed = await entra.operate(`/Groups/${id}`, { op: 'Replace', path: 'displayName', value: 'Design office' })
    expect([renamed.status, renamed.text]).toEqual([204, ''])
    const value = [one, two].map((user) => ({ $ref: null, value: user.id }))
    expect((await entra.operate(`/Groups/${id}`, { op: 'Add', path: 'members', value })).status).toBe(204)
    const { body } = await entra.get(`/Groups/${id}`)
    expect(body.members).toEqual([
      { value: one.id, $ref: `${base}/Users/${one.id}`, display: 'Ida Holm', type: 'User' },
      { value: two.id, $ref: `${base}/Users/${two.id}`, display: 'Ida Holm', type: 'User' },
    ])
    expect(body.meta.version).not.toBe(meta.version)
    const [found] = await entra.filter('/Groups', 'displayName eq "design OFFICE"')
    expect(found?.id).toBe(id)

    const path = `members[value eq "${one.id}"]`
    expect((await entra.operate(`/Groups/${id}`, { op: 'Remove', path })).status).toBe(204)
    expect(await membersOf(id)).toEqual([two.id])
    expect((await entra.delete(`/Groups/${id}`)).status).toBe(409)
    const others = { op: 'Remove', path: 'members', value: [{ value: two.id }] }
    expect((await entra.operate(`/Groups/${id}`, others)).status).toBe(204)
    expect(await membersOf(id)).toEqual([])
    expect((await entra.delete(`/Groups/${id}`)).status).toBe(204)
    expect((await entra.get(`/Groups/${id}`)).status).toBe(404)
  })

  test('keeps members whom an added or removed member repeats, and the last operation counts', async () => {
    const user = await entra.created('/Users', newUser('rie'))
    const { id } = await entra.created('/Groups', newGroup('Repeated'))
    const add = { op: 'Add', path: 'members', value: [{ value: user.id }, { value: user.id }] }
    const remove = { op: 'Remove', path: `members[value eq "${user.id}"]` }
    expect((await entra.operate(`/Groups/${id}`, add)).status).toBe(204)
    expect((await entra.operate(`/Groups/${id}`, add)).status).toBe(204)
    expect((await entra.operate(`/Groups/${id}`, add, remove)).status).toBe(204)
    expect(await membersOf(id)).toEqual([])
    expect((await entra.operate(`/Groups/${id}`, remove)).status).toBe(204)
    expect((await entra.operate(`/Groups/${id}`, remove, add)).status).toBe(204)
    expect(await membersOf(id)).toEqual([user.id])
    const none = { op: 'Remove', path: 'members', value: [] }
    expect((await entra.operate(`/Groups/${id}`, none)).status).toBe(204)
    expect(await membersOf(id)).toEqual([user.id])
    expect((await entra.operate(`/Groups/${id}`, { op: 'Remove', path: 'members' })).status).toBe(204)
    expect(await membersOf(id)).toEqual([])
  })
})
