import { describe, expect, test } from 'bun:test'
import { GROUP, PATCH_OP, scimWorld, USER } from '../../testing/scim.ts'

/** What a filter and a PATCH may say, and how much. */
const { domain, full } = await scimWorld()
const user = await full.created('/Users', { schemas: [USER], userName: `patched@${domain}` })
const group = await full.created('/Groups', { schemas: [GROUP], displayName: 'Planners' })

describe('a filter', () => {
  test.each([
    '',
    'userName',
    'userName eq',
    'userName eq x',
    'userName eq 5',
    'userName eq true',
    "userName eq 'x'",
    'userName eq "x',
    'userName eq "x" and active eq true',
    'userName eq "x" or userName eq "y"',
    'not (userName eq "x")',
    'userName co "x"',
    'userName ne "x"',
    'userName pr',
    'displayName eq "x"',
    'emails[type eq "work"]',
    'emails[type eq "work"].value eq "x"',
    'userName[type eq "work"]',
    'userName eq "x"[type eq "work"]',
    'emails.value eq "x"',
    'password eq "x"',
    '__proto__ eq "x"',
    'name.familyName eq "x"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    `userName eq "${'x'.repeat(990)}"`,
    `${'('.repeat(900)}`,
    `userName${' '.repeat(900)}`,
    `userName eq "${'\\\\'.repeat(480)}`,
  ])('%.40s is 400 invalidFilter', async (filter) => {
    const { status, body } = await full.get(`/Users?filter=${encodeURIComponent(filter)}`)
    expect([status, body.scimType]).toEqual([400, 'invalidFilter'])
  })

  test('of groups has displayName and externalId alone', async () => {
    const refused = await full.get(`/Groups?filter=${encodeURIComponent('members eq "x"')}`)
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'filter: must be displayName eq "…" or externalId eq "…"',
    ])
    expect(await full.filter('/Groups', 'externalId eq "none"')).toEqual([])
    const bracketed = await full.get(`/Groups?filter=${encodeURIComponent('members[value eq "x"]')}`)
    expect([bracketed.status, bracketed.body.scimType]).toEqual([400, 'invalidFilter'])
  })

  test('sent twice is 400', async () => {
    const twice = encodeURIComponent('userName eq "x"')
    expect((await full.get(`/Users?filter=${twice}&filter=${twice}`)).status).toBe(400)
  })

  test.each(['/ServiceProviderConfig', '/ResourceTypes', '/Schemas'])('of %s is 400', async (path) => {
    expect((await full.get(`${path}?filter=${encodeURIComponent('id eq "x"')}`)).status).toBe(400)
    expect((await full.get(path)).status).toBe(200)
  })

  test('with a quote and wildcards is compared as text', async () => {
    for (const value of ['%', '_', "' or 1=1--", '\\"', '\\\\'])
      expect(await full.filter('/Users', `userName eq "${value}"`)).toEqual([])
  })
})

describe('a PATCH', () => {
  const op = (more: object) => [{ op: 'replace', ...more }]
  test.each([
    ['no operations', undefined, 'invalidSyntax'],
    ['an empty list', [], 'invalidSyntax'],
    ['an object as the list', {}, 'invalidSyntax'],
    ['a text as an operation', ['replace'], 'invalidSyntax'],
    ['null as an operation', [null], 'invalidSyntax'],
    ['no op', [{ path: 'active', value: true }], 'invalidSyntax'],
    ['an unknown op', [{ op: 'move', path: 'active', value: true }], 'invalidSyntax'],
    ['101 operations', Array.from({ length: 101 }, () => op({ path: 'title', value: 'x' })[0]), 'invalidValue'],
    ['no path to remove', [{ op: 'remove' }], 'noTarget'],
    ['a path that is a number', op({ path: 5, value: 1 }), 'invalidPath'],
    ['a malformed path', op({ path: 'emails[type eq', value: 1 }), 'invalidPath'],
    ['a path with and', op({ path: 'emails[type eq "work" and primary eq true].value', value: 1 }), 'invalidPath'],
    ['a path into userName', op({ path: 'userName.value', value: `other@${domain}` }), 'invalidPath'],
    ['an element of userName', op({ path: 'userName[type eq "work"]', value: `other@${domain}` }), 'invalidPath'],
    ['an element of active', op({ path: 'active[value eq "x"]', value: false }), 'invalidPath'],
    ['an element of externalId', op({ path: 'externalId[type eq "x"].value', value: 'x' }), 'invalidPath'],
    ['an element of a name', op({ path: 'name[type eq "x"].givenName', value: 'Eve' }), 'invalidPath'],
    ['an e-mail by its value', op({ path: 'emails[value eq "x"].value', value: `other@${domain}` }), 'invalidPath'],
    ['a path that is too long', op({ path: 'x'.repeat(501), value: 1 }), 'invalidPath'],
    ['a path of spaces', op({ path: ' ', value: 1 }), 'invalidPath'],
    ['neither path nor object', op({ value: 'x' }), 'invalidValue'],
    ['a list without a path', op({ value: [] }), 'invalidValue'],
    ['an id', op({ path: 'id', value: 'user_1' }), 'mutability'],
    ['meta', op({ path: 'meta.version', value: '1' }), 'mutability'],
    ['groups', op({ path: 'groups', value: [] }), 'mutability'],
    ['a removed userName', [{ op: 'remove', path: 'userName' }], 'mutability'],
    ['a removed active', [{ op: 'remove', path: 'active' }], 'mutability'],
    ['active in another word', op({ path: 'active', value: 'no' }), 'invalidValue'],
    ['active as a number', op({ path: 'active', value: 0 }), 'invalidValue'],
    ['an empty userName', op({ path: 'userName', value: '' }), 'invalidValue'],
    ['userName as a list', op({ path: 'userName', value: ['a'] }), 'invalidValue'],
    ['a name as a text', op({ path: 'name', value: 'Ida' }), 'invalidValue'],
    ['a given name as an object', op({ path: 'name.givenName', value: {} }), 'invalidValue'],
    ['an external id of 257 characters', op({ path: 'externalId', value: 'x'.repeat(257) }), 'invalidValue'],
    ['an external id of two lines', op({ path: 'externalId', value: 'a\nb' }), 'invalidValue'],
    ['e-mails as a text', op({ path: 'emails', value: 'x' }), 'invalidValue'],
  ])('with %s is 400 and changes nothing', async (_, Operations, scimType) => {
    const before = (await full.get(`/Users/${user.id}`)).text
    const { status, body } = await full.patch(`/Users/${user.id}`, { schemas: [PATCH_OP], Operations })
    expect([status, body.scimType]).toEqual([400, scimType])
    expect((await full.get(`/Users/${user.id}`)).text).toBe(before)
  })

  test('with a refused operation after others changes nothing', async () => {
    const before = (await full.get(`/Users/${user.id}`)).text
    const operations = [
      { op: 'replace', path: 'active', value: false },
      { op: 'replace', path: 'userName', value: 'a@elsewhere.example.org' },
    ]
    expect((await full.operate(`/Users/${user.id}`, ...operations)).status).toBe(400)
    expect((await full.get(`/Users/${user.id}`)).text).toBe(before)
  })

  test('with 100 operations, and with attributes that are unknown, is done', async () => {
    const operations = Array.from({ length: 100 }, (_, n) => ({ op: 'add', path: 'name.givenName', value: `Ida ${n}` }))
    expect((await full.operate(`/Users/${user.id}`, ...operations)).body.name.givenName).toBe('Ida 99')
    const unknown = { op: 'add', path: 'urn:ietf:params:scim:schemas:extension:x:2.0:User:manager.value', value: [[]] }
    expect((await full.operate(`/Users/${user.id}`, unknown)).status).toBe(200)
  })

  test('with such paths as names in an object ignores them, as unknown attributes', async () => {
    const before = (await full.get(`/Users/${user.id}`)).text
    const value = {
      'active[value eq "x"]': false,
      'userName.value': `other@${domain}`,
      'name[type eq "x"].givenName': 'Eve',
    }
    expect((await full.operate(`/Users/${user.id}`, { op: 'replace', value })).text).toBe(before)
  })

  const members = (count: number) => Array.from({ length: count }, (_, n) => ({ value: `user_${n}` }))
  const path = 'members'
  test.each([
    ['1,001 members', [{ op: 'add', path, value: members(1001) }], 'invalidValue'],
    ['501 members twice', [1, 2].map(() => ({ op: 'add', path, value: members(501) })), 'invalidValue'],
    ['an unknown member', [{ op: 'add', path, value: members(1) }], 'invalidValue'],
    ['a member that is a group', [{ op: 'add', path, value: [{ value: group.id, type: 'Group' }] }], 'invalidValue'],
    ['a member without value', [{ op: 'add', path, value: [{ display: 'Ida' }] }], 'invalidValue'],
    ['a member as a text', [{ op: 'add', path, value: [user.id] }], 'invalidValue'],
    ['an added element', [{ op: 'add', path: `members[value eq "${user.id}"]`, value: {} }], 'invalidPath'],
    ['members of a type', [{ op: 'remove', path: 'members[type eq "User"]' }], 'invalidPath'],
    ['the name of a member', [{ op: 'replace', path: 'members.display', value: 'x' }], 'invalidPath'],
    ['a part of a name', [{ op: 'replace', path: 'displayName.value', value: 'Makers' }], 'invalidPath'],
    ['an element of a name', [{ op: 'replace', path: 'displayName[type eq "x"]', value: 'Makers' }], 'invalidPath'],
    ['a blank name', [{ op: 'replace', path: 'displayName', value: ' ' }], 'invalidValue'],
    ['a removed name', [{ op: 'remove', path: 'displayName' }], 'mutability'],
    ['a name of 101 characters', [{ op: 'replace', path: 'displayName', value: 'x'.repeat(101) }], 'invalidValue'],
    ['an id', [{ op: 'replace', path: 'id', value: 'role_1' }], 'mutability'],
  ])('of a group with %s is 400', async (_, operations, scimType) => {
    const before = (await full.get(`/Groups/${group.id}`)).text
    const { status, body } = await full.operate(`/Groups/${group.id}`, ...operations)
    expect([status, body.scimType]).toEqual([400, scimType])
    expect((await full.get(`/Groups/${group.id}`)).text).toBe(before)
  })

  test('of a group that removes 1,000 unknown members is done', async () => {
    const remove = { op: 'remove', path, value: members(1000) }
    expect((await full.operate(`/Groups/${group.id}`, remove)).status).toBe(204)
  })
})
