import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from '../../../services/kit/db/client.ts'
import { createSecretBox } from '../../../services/kit/secrets/box.ts'
import { testDatabase } from '../../../services/testing/database.ts'
import { ROOT } from '../../toolchain/checkout.ts'

const { ownerUrl } = await testDatabase()
const owner = connect(ownerUrl, { max: 1, applicationName: 'test' })
afterAll(() => owner.end({ timeout: 1 }))

const KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`
const operator = (...args: string[]) => operatorWith({}, ...args)

async function operatorWith(more: Record<string, string>, ...args: string[]) {
  const child = Bun.spawn([process.execPath, 'scripts/commands/operator/main.ts', ...args], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: ownerUrl,
      PUBLIC_URL: 'https://market.example.com',
      ENCRYPTION_KEYS: KEY,
      ...more,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

const bootstrap = (email: string, ...more: string[]) =>
  operator(
    'bootstrap',
    ...['--email', email, '--given-name', 'Ada', '--family-name', 'Berg'],
    ...['--organization', 'Operator', '--region', 'NO'],
    ...more,
  )

describe('bootstrap', () => {
  test('bootstrap --without-link: creates the first administrator, and the log has no link', async () => {
    const other = await testDatabase()
    const words = ['--email', 'ada@example.com', '--given-name', 'Ada', '--family-name', 'Berg', '--without-link']
    const { code, out } = await operatorWith(
      { DATABASE_URL: other.ownerUrl, PUBLIC_URL: '' },
      ...['bootstrap', ...words, '--organization', 'Operator', '--region', 'NO'],
    )
    expect([code, out]).toEqual([0, expect.stringMatching(/^Created the organization Operator \(\S+\) with .*\n$/)])
    expect(await other.owner`select email from organization.users`).toMatchObject([{ email: 'ada@example.com' }])
  })

  test.each([
    ['', 'Set PUBLIC_URL to the value that the services have, for the link.\n'],
    ['market.example.com', expect.stringContaining('PUBLIC_URL')],
  ])('bootstrap with PUBLIC_URL=%j: refused, nothing changes', async (PUBLIC_URL, reason) => {
    const words = ['--email', 'ada@example.com', '--given-name', 'Ada', '--family-name', 'Berg']
    const { code, err } = await operatorWith(
      { PUBLIC_URL },
      ...['bootstrap', ...words, '--organization', 'Operator', '--region', 'NO'],
    )
    expect([code, err]).toEqual([1, reason])
    expect(await owner`select id from organization.users`).toHaveLength(0)
  })

  test('bootstrap: creates the first administrator and prints a link that works once', async () => {
    const { code, out } = await bootstrap('ada@example.com')
    expect(code).toBe(0)
    const [, token = ''] = /https:\/\/market\.example\.com\/activate#([\w-]{43})\n/.exec(out) ?? []
    const [row] = await owner`
      select u.email, o.operator from organization.pending_activations a
      join organization.users u on u.id = a.user_id join organization.organizations o on o.id = u.org_id
      where a.token_hash = sha256(${token}::text::bytea)`
    expect(row).toEqual({ email: 'ada@example.com', operator: true })
  })

  test('bootstrap with an existing operator: refused, nothing changes', async () => {
    const { code, err } = await bootstrap('eve@example.com')
    expect([code, err]).toEqual([1, 'An operator organization already exists; nothing was changed.\n'])
    const [row] = await owner`select count(*)::int as n from organization.users`
    expect(row?.n).toBe(1)
  })

  test('bootstrap --if-none with an existing operator: succeeds, nothing changes', async () => {
    const { code, out } = await bootstrap('eve@example.com', '--if-none')
    expect([code, out]).toEqual([0, 'An operator organization already exists; nothing was changed.\n'])
    const [row] = await owner`select count(*)::int as n from organization.users`
    expect(row?.n).toBe(1)
  })

  test.each([
    [[], '--email <address>'],
    [['--email', 'ada@example.com'], '--given-name <name>'],
  ])('bootstrap with %j: the missing option', async (args, option) => {
    const { code, err } = await operator('bootstrap', ...args)
    expect([code, err.split('\n')[0]]).toEqual([2, `Required option '${option}' not specified.`])
  })
})

const BY = ['--as', 'support@example.com', '--reason', 'Ticket 4711']
/** The audit entries of a procedure, with the grant of the impersonation. */
const entriesOf = (procedure: string) => owner`
  select l.actor_id, l.success, l.request, g.acting_email, g.reason, g.granted_by,
    g.redeemed_at is not null and g.revoked_at is not null as ended
  from organization.audit_log l join identity.impersonation_grants g on g.id = l.grant_id and g.user_id = l.actor_id
  where l.procedure = ${procedure}`
const BY_SUPPORT = {
  success: true,
  acting_email: 'support@example.com',
  reason: 'Ticket 4711',
  granted_by: null,
  ended: true,
}
const idOfAda = async () => (await owner`select id from organization.users where email = 'ada@example.com'`)[0]?.id

describe('reset-passkeys', () => {
  const insert = (id: string, userId = '') => owner`
    insert into identity.passkeys (id, org_id, user_id, rp_id, credential_id, public_key, sign_count, transports, name, created_at)
    select ${id}, org_id, id, 'localhost', ${id}, '\\x00', 0, '{}', 'Phone', now() from organization.users where id = ${userId}`

  test('removes the passkeys, ends the sessions, and keeps the password', async () => {
    const id = await idOfAda()
    await insert('passkey_1', id)
    const versions = async () =>
      (
        await owner`
      select password_version, session_version from organization.users where id = ${id ?? ''}`
      )[0]
    const before = await versions()
    const { code, out } = await operator('reset-passkeys', 'ADA@example.com', ...BY)
    expect([code, out]).toEqual([0, 'Removed 1 passkey of ADA@example.com; all sessions have ended.\n'])
    expect(await owner`select id from identity.passkeys`).toHaveLength(0)
    expect(await versions()).toEqual({
      password_version: before?.password_version,
      session_version: before?.session_version + 1,
    })
    expect([...(await entriesOf('user.resetPasskeys'))]).toEqual([
      { ...BY_SUPPORT, actor_id: id, request: { id, removed: 1 } },
    ])
  })

  test('of an unknown address: refused with the address', async () => {
    const { code, err } = await operator('reset-passkeys', 'unknown@example.com', ...BY)
    expect([code, err]).toEqual([1, 'No user has the address unknown@example.com.\n'])
  })
})

describe('reset-password', () => {
  test('reset-password: ends password and sessions, prints a new link, and the old link fails', async () => {
    const before = await owner`select token_hash from organization.pending_activations`
    const { code, out } = await operator('reset-password', 'ADA@example.com', ...BY)
    expect(code).toBe(0)
    expect(out).toMatch(/activate#[\w-]{43}\n/)
    const after = await owner`select token_hash from organization.pending_activations`
    expect(after).toHaveLength(1)
    expect(after[0]?.token_hash).not.toEqual(before[0]?.token_hash)
    const id = await idOfAda()
    expect([...(await entriesOf('user.resetPassword'))]).toEqual([{ ...BY_SUPPORT, actor_id: id, request: { id } }])
    const events = await owner`select type from organization.outbox order by id desc limit 2`
    expect(events.map(({ type }) => type).sort()).toEqual([
      'organization.user.changed',
      'organization.user.credentialsReset',
    ])
  })

  test.each([
    [[], "Required option '--as <address>' not specified."],
    [['--as', 'support@example.com'], "Required option '--reason <text>' not specified."],
    [['--as', 'support', '--reason', 'Ticket'], 'support is not an e-mail address.'],
    [['--as', 'support@example.com', '--reason', ' '], '--reason must have 1 to 500 characters.'],
  ])('reset-password with %j: refused, nothing changes', async (options, sentence) => {
    const before = await owner`select token_hash from organization.pending_activations`
    const { code, err } = await operator('reset-password', 'ada@example.com', ...options)
    expect([code, err.split('\n')[0]]).toEqual([expect.any(Number), sentence])
    expect(code).toBeGreaterThan(0)
    expect([...(await owner`select token_hash from organization.pending_activations`)]).toEqual([...before])
  })

  test('reset-password without PUBLIC_URL: refused, nothing changes', async () => {
    const before = await owner`select token_hash from organization.pending_activations`
    const { code, err } = await operatorWith({ PUBLIC_URL: '' }, 'reset-password', 'ada@example.com', ...BY)
    expect([code, err]).toEqual([1, 'Set PUBLIC_URL to the value that the services have, for the link.\n'])
    expect([...(await owner`select token_hash from organization.pending_activations`)]).toEqual([...before])
  })

  test('reset-password of an unknown address: refused with the address', async () => {
    const { code, err } = await operator('reset-password', 'unknown@example.com', ...BY)
    expect([code, err]).toEqual([1, 'No user has the address unknown@example.com.\n'])
  })
})

describe('restore-administrator', () => {
  const restore = (...args: string[]) => operator('restore-administrator', ...args, ...BY)
  const permissionsOfAda = async () => {
    const rows = await owner<{ permission: string }[]>`
      select permission from organization.users u
      join organization.user_roles ur on ur.user_id = u.id join organization.roles r on r.id = ur.role_id
      cross join unnest(r.permissions) permission
      where u.email = 'ada@example.com' order by permission`
    return rows.map(({ permission }) => permission)
  }

  test('restore-administrator: restores the role and its permissions, with an audit entry', async () => {
    const before = await permissionsOfAda()
    expect(before).toContain('platform:operate')
    await owner`delete from organization.user_roles`
    await owner`update organization.roles set permissions = '{org:admin}' where name = 'Administrator'`
    expect(await restore('ADA@example.com')).toMatchObject({ code: 0, err: '' })
    expect(await permissionsOfAda()).toEqual(before)
    const id = await idOfAda()
    expect([...(await entriesOf('role.grant'))]).toEqual([
      { ...BY_SUPPORT, actor_id: id, request: { id: expect.any(String), userId: id } },
    ])
    const [event] = await owner`select type from organization.outbox order by seq desc limit 1`
    expect(event?.type).toBe('organization.user.changed')
  })

  test('restore-administrator of an administrator, a deactivated or an unknown user: refused', async () => {
    const already = await restore('ada@example.com')
    expect([already.code, already.err]).toEqual([1, 'ada@example.com is already Administrator; nothing was changed.\n'])
    await owner`delete from organization.user_roles`
    await owner`update organization.users set active = false`
    expect((await restore('ada@example.com')).err).toContain('is deactivated; nothing was changed.')
    expect((await restore('unknown@example.com')).err).toBe('No user has the address unknown@example.com.\n')
    expect((await restore()).err).toStartWith("Missing required argument 'address'.")
    expect(await permissionsOfAda()).toEqual([])
    const [entries] = await owner`
      select count(*)::int as n from organization.audit_log where procedure = 'role.grant'`
    expect(entries?.n).toBe(1)
  })
})

describe('keys', () => {
  test('revoke: voids a key and names its successor; an unknown or missing id is refused', async () => {
    await operator('keys', 'rotate')
    const [key] = await owner`select kid from identity.signing_keys order by signs_from desc limit 1`
    const { code, out } = await operator('keys', 'revoke', key?.kid)
    expect([code, out]).toEqual([0, expect.stringContaining(`The key ${key?.kid} is revoked`)])
    expect(await owner`select kid from identity.signing_keys where kid = ${key?.kid}`).toHaveLength(0)
    expect((await operator('keys', 'revoke', 'key_unknown')).err).toBe('No signing key has the id key_unknown.\n')
    expect((await operator('keys', 'revoke')).err).toContain("Missing required argument 'kid'.")
  })

  test('reencrypt: reports the number of re-encrypted secrets', async () => {
    expect((await operator('keys', 'reencrypt')).out).toContain('0 secrets were re-encrypted')
    const older = { ENCRYPTION_KEYS: `older:${Buffer.alloc(32, 8).toString('base64')}` }
    const encrypted = await (await createSecretBox(older.ENCRYPTION_KEYS)).encrypt(
      'https://drawings.example.com/a?sig=b',
    )
    await owner.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`
        insert into sourcing.jobs (kind, id, data, created_at, due_at)
        values ('file-import', 'file_1', jsonb_build_object('encryptedUrl', ${encrypted}::text), now(), now())`
    })
    const keys = { ENCRYPTION_KEYS: `${KEY},${older.ENCRYPTION_KEYS}` }
    expect((await operatorWith(keys, 'keys', 'reencrypt')).out).toContain('1 secrets were re-encrypted')
    const unreadable = await operatorWith(older, 'keys', 'reencrypt')
    expect([unreadable.code, unreadable.out]).toEqual([1, ''])
    expect(unreadable.err).toMatch(
      /^0 secrets were re-encrypted, and those of \d+ records were not; keep the older keys\.\n/,
    )
    expect(unreadable.err).toMatch(/^file_1: ENCRYPTION_KEYS lacks the key /m)
  })
})

test('demo data in a production configuration: refused', async () => {
  for (const env of [
    { NODE_ENV: 'production', PUBLIC_URL: 'http://localhost:8080' },
    { NODE_ENV: 'development', PUBLIC_URL: 'https://market.example.com' },
  ]) {
    const child = Bun.spawn([process.execPath, 'scripts/commands/seed/main.ts'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH ?? '', ...env, DATABASE_URL: ownerUrl },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    expect(await child.stderr.text()).toContain('Demo data is for development')
    expect(await child.exited).toBe(1)
  }
})
