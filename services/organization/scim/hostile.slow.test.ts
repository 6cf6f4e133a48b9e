import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { captureLog } from '../../testing/captured-log.ts'
import { brokenBodies } from '../../testing/fuzz/bodies.ts'
import { MARK, TEXTS } from '../../testing/fuzz/texts.ts'
import { scimWorld, USER } from '../../testing/scim.ts'

/** Hostile bodies, values, paths and queries of every command: an expected status in the form of SCIM, and no error. */
setDefaultTimeout(60_000)
const log = captureLog()
const { market, domain, full } = await scimWorld({ LOG_LEVEL: 'info' }, { logDestination: log.destination })
const user = await full.created('/Users', { schemas: [USER], userName: `hostile@${domain}` })
const group = await full.created('/Groups', { displayName: 'Hostile' })
const EXPECTED = [200, 201, 204, 400, 404, 405, 409, 412, 413, 414, 415]

const COMMANDS: [string, string, string, object][] = [
  ['createScimUser', 'POST', '/scim/v2/Users', { userName: `a@${domain}`, name: { givenName: 'A' } }],
  ['replaceScimUser', 'PUT', `/scim/v2/Users/${user.id}`, { userName: user.userName, active: true }],
  ['patchScimUser', 'PATCH', `/scim/v2/Users/${user.id}`, { Operations: [{ op: 'add', path: 'title', value: 'x' }] }],
  ['createScimGroup', 'POST', '/scim/v2/Groups', { displayName: 'Group', members: [{ value: user.id }] }],
  ['replaceScimGroup', 'PUT', `/scim/v2/Groups/${group.id}`, { displayName: 'Hostile', members: [] }],
  ['patchScimGroup', 'PATCH', `/scim/v2/Groups/${group.id}`, { Operations: [{ op: 'remove', path: 'members' }] }],
]

interface Sent {
  method: string
  target: string
  body?: string | Uint8Array
  contentType?: string
}

async function violationsOf(name: string, { method, target, body, contentType }: Sent): Promise<string[]> {
  const response = await fetch(`${market.url}${target}`, {
    method,
    headers: {
      authorization: `Bearer ${full.api.accessToken}`,
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/scim+json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const isScim = text === '' || response.headers.get('content-type') === 'application/scim+json'
  // A member that does not exist is named, as the id of every record.
  const repeats = response.status >= 400 && text.replaceAll(/there is no user `[^`]{1,64}`/g, '').includes(MARK)
  const isFine = EXPECTED.includes(response.status) && isScim && !repeats
  return isFine ? [] : [`${name}: ${response.status} ${text.slice(0, 200)}`]
}

describe('hostile bodies', () => {
  test.each(COMMANDS)('of %s', async (_, method, target, valid) => {
    const violations: string[] = []
    for (const { name, body, contentType } of brokenBodies(valid)) {
      const sent = { method, target, body, ...(contentType === undefined ? {} : { contentType }) }
      violations.push(...(await violationsOf(name, sent)))
    }
    expect(violations).toEqual([])
    expect(log.errors()).toEqual([])
  })
})

const VALUES: unknown[] = [...TEXTS, null, true, 5, 1e308, [], {}, [[]], [null], { value: null }, [{ value: {} }]]
const ATTRIBUTES = [
  'userName',
  'externalId',
  'displayName',
  'active',
  'name',
  'name.givenName',
  'name.familyName',
  'emails',
  'emails[type eq "work"].value',
  'emails.value',
  'members',
  'schemas',
  'id',
  'meta',
  '__proto__',
  'constructor',
  'toString',
]

/** An attribute is set by a path, by an object, or by replacing the record. */
const WAYS: ((attribute: string, value: unknown) => { method: string; body: string })[] = [
  (path, value) => ({ method: 'PATCH', body: JSON.stringify({ Operations: [{ op: 'replace', path, value }] }) }),
  (attribute, value) => ({
    method: 'PATCH',
    body: `{"Operations":[{"op":"add","value":{${JSON.stringify(attribute)}:${JSON.stringify(value)}}}]}`,
  }),
  (attribute, value) => ({
    method: 'PUT',
    body: `{"userName":${JSON.stringify(user.userName)},"displayName":"Hostile",${JSON.stringify(attribute)}:${JSON.stringify(value)}}`,
  }),
]

describe('hostile values', () => {
  test.each(ATTRIBUTES)('of %s', async (attribute) => {
    const violations: string[] = []
    for (const [index, value] of VALUES.entries()) {
      for (const [at, target] of [`/scim/v2/Users/${user.id}`, `/scim/v2/Groups/${group.id}`].entries()) {
        // Each value of an attribute is set in one way, that of the next attribute in the next way.
        const way = WAYS[(index + at + ATTRIBUTES.indexOf(attribute)) % WAYS.length]
        const sent = way?.(attribute, value)
        if (sent) violations.push(...(await violationsOf(`${target} ${sent.body}`, { target, ...sent })))
      }
    }
    expect(violations).toEqual([])
    expect(log.errors()).toEqual([])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

test('hostile paths', async () => {
  const paths = [
    ...TEXTS,
    '[',
    ']',
    '[]',
    'members[]',
    'members[value eq]',
    'members[value eq "]',
    `members[value eq "${'\\"'.repeat(200)}"]`,
    'a.b.c.d',
    '.',
    '$ref',
    'emails[type eq "work"][type eq "home"].value',
    `${'a['.repeat(200)}`,
    `emails[${'('.repeat(400)}`,
    `urn:${':'.repeat(400)}`,
    `emails[type eq "${'x'.repeat(400)}"].value`,
    'members[value eq "\\ud800"]',
  ]
  const violations: string[] = []
  for (const [index, path] of paths.entries()) {
    // An unknown word is refused before the path is read.
    for (const op of ['add', 'replace', 'remove', index % 2 === 0 ? MARK : '__proto__']) {
      for (const target of [`/scim/v2/Users/${user.id}`, `/scim/v2/Groups/${group.id}`]) {
        const body = JSON.stringify({ Operations: [{ op, path, value: 'x' }] })
        violations.push(...(await violationsOf(body, { method: 'PATCH', target, body })))
      }
    }
  }
  expect(violations).toEqual([])
  expect(log.errors()).toEqual([])
})

describe('hostile queries', () => {
  const ENCODINGS = ['%', '%z', '%ff', '%00', '%ED%A0%80', '%C0%AF', '+']
  test.each(['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes', 'sortBy', '__proto__'])(
    'with %s',
    async (name) => {
      // Only a filter is parsed.
      const filters = TEXTS.flatMap((text) => [`userName eq "${text}"`, `userName eq ${JSON.stringify(text)}`])
      const texts = name === 'filter' ? [...TEXTS, ...filters] : TEXTS
      const values = [...texts, '-1', '2147483648', '9007199254740993', '1e9', '0x1'].map(encodeURIComponent)
      const violations: string[] = []
      const paths = ['/scim/v2/Users', '/scim/v2/Groups', `/scim/v2/Users/${user.id}`]
      for (const [index, value] of [...values, ...ENCODINGS].entries()) {
        // Users and groups have filters of their own; other parameters are sent to one of them, in turn.
        for (const path of name === 'filter' ? paths : [paths[index % paths.length]]) {
          const target = `${path}?${name}=${value}`
          violations.push(...(await violationsOf(target, { method: 'GET', target })))
        }
      }
      expect(violations).toEqual([])
      expect(log.errors()).toEqual([])
    },
  )
})

test('a secret value of a request is in no response, log line, audit entry or event', async () => {
  const secret = crypto.randomUUID()
  const name = `x${secret}`
  const answers = [
    await full.post('/Users', { userName: `secret@${domain}`, password: secret, [name]: { [name]: secret } }),
    await full.post('/Users', { userName: secret, password: secret }),
    await full.post('/Users', { userName: `a@${secret}.example.org` }),
    await full.operate(`/Users/${user.id}`, { op: 'replace', path: 'password', value: secret }),
    await full.operate(`/Users/${user.id}`, { op: 'replace', path: `name.${name}`, value: secret }),
    await full.operate(`/Users/${user.id}`, { op: secret, path: name, value: secret }),
    await full.operate(`/Users/${user.id}`, { op: 'replace', path: `[${secret}]`, value: secret }),
    await full.operate(`/Users/${user.id}`, { op: 'replace', path: 'active', value: secret }),
    await full.operate(`/Groups/${group.id}`, { op: 'replace', path: 'displayName', value: `${secret}\n` }),
    await full.put(`/Groups/${group.id}`, { displayName: 'Hostile', description: secret }),
    await full.get(`/Users?filter=${secret}`),
    await full.get(`/Users?filter=${encodeURIComponent(`userName eq "${secret}"`)}`),
    await full.get(`/Users?attributes=${secret}`),
    await full.api.send('PUT', `/scim/v2/Users/${user.id}`, {
      body: `{"userName": ${secret}`,
      headers: { 'content-type': 'text/plain' },
    }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([
    201, 400, 400, 200, 200, 400, 400, 400, 400, 200, 400, 200, 200, 415,
  ])
  for (const { text } of answers) expect(text).not.toContain(secret)
  expect(log.texts.filter((line) => line.includes(secret))).toEqual([])
  const stored = await market.db.owner`
    select id from organization.audit_log where request::text like ${`%${secret}%`}
    union all select id from organization.outbox where data::text like ${`%${secret}%`}`
  expect(stored.length).toBe(0)
})

test('the user and the group are still there', async () => {
  expect((await full.get(`/Users/${user.id}`)).status).toBe(200)
  expect((await full.get(`/Groups/${group.id}`)).status).toBe(200)
})
