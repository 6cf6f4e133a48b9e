import { expect, test } from 'bun:test'
import { TestAuthenticator } from '../../testing/authenticator.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, RACING } from '../../testing/marketplace.ts'
import {
  addPasskey,
  PASSKEYS,
  requireSecondFactor,
  SignInBrowser,
  startedPasskey,
  strictMember,
} from '../../testing/passkeys.ts'
import { BY_BUS, type Page } from '../../testing/people.ts'
import { openSession } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers([], { ...RACING, TRUSTED_PROXIES: '1' })
const org = await market.organization(['CONSUMER'])
await requireSecondFactor(market, org.administrator.client)

const newAuthenticator = () => new TestAuthenticator(market.config.PUBLIC_URL)
const statuses = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort()
let addresses = 0
const newBrowser = () => new SignInBrowser(market, `203.0.113.${++addresses}`)

test('of eight registrations at nine passkeys, in sessions of their own, one succeeds', async () => {
  const member = await strictMember(market, org)
  for (let n = 0; n < 9; n++) await addPasskey(market, member.client)
  const begun = []
  for (let n = 0; n < 8; n++) {
    const client = new ApiClient(market.url, (await openSession(market, member)).accessToken)
    begun.push({ client, credential: newAuthenticator().create(await startedPasskey(client)) })
  }
  const answers = begun.map(({ client, credential }) => client.post(PASSKEYS, { name: 'X', credential }))
  expect(await statuses(answers)).toEqual([201, 409, 409, 409, 409, 409, 409, 409])
  expect((await member.client.get<Page<object>>(`${PASSKEYS}?pageSize=50`)).body.items).toHaveLength(10)
})

test('of two removals of the last two passkeys, one succeeds where a passkey is required', async () => {
  for (let round = 0; round < 5; round++) {
    const member = await strictMember(market, org)
    const { passkey: first } = await addPasskey(market, member.client)
    const { passkey: second } = await addPasskey(market, member.client)
    const removals = [first, second].map(({ id }) => member.client.send('DELETE', `${PASSKEYS}/${id}`))
    expect(await statuses(removals)).toEqual([204, 409])
  }
})

test('of many uses of one answer, one opens a session', async () => {
  const member = await strictMember(market, org)
  const { authenticator } = await addPasskey(market, member.client)
  const browser = newBrowser()
  const answer = authenticator.get((await browser.start()).body)
  const answers = Array.from({ length: 8 }, () => browser.finish(answer))
  const codes = await statuses(answers)
  expect(codes.filter((code) => code === 200)).toEqual([200])
  expect(codes.filter((code) => code !== 200 && code !== 401 && code !== 429)).toEqual([])
})

test('of many answers with the same counter, one opens a session', async () => {
  const member = await strictMember(market, org)
  const { authenticator } = await addPasskey(market, member.client)
  const begun = []
  for (let n = 0; n < 8; n++) {
    const browser = newBrowser()
    begun.push({ browser, answer: authenticator.get((await browser.start()).body, { counter: 5 }) })
  }
  const codes = await statuses(begun.map(({ browser, answer }) => browser.finish(answer)))
  expect(codes).toEqual([200, 401, 401, 401, 401, 401, 401, 401])
})

test('of many registrations of the first passkey after the password, one succeeds', async () => {
  const member = await strictMember(market, org)
  const begun = []
  for (let n = 0; n < 4; n++) {
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    begun.push({ browser, credential: newAuthenticator().create(firstPasskey) })
  }
  const codes = await statuses(begun.map(({ browser, credential }) => browser.first(credential)))
  expect(codes).toEqual([200, 401, 401, 401])
  expect(await market.db.owner`select id from identity.passkeys where user_id = ${member.userId}`).toHaveLength(1)
})

test('a reset while passkeys sign in leaves no session of the person', async () => {
  for (let round = 0; round < 5; round++) {
    const member = await strictMember(market, org)
    const { authenticator } = await addPasskey(market, member.client)
    const browser = newBrowser()
    const answer = authenticator.get((await browser.start()).body)
    const path = `/flows/v1/users/${member.userId}/reset-passkeys`
    const [signedIn] = await Promise.all([browser.finish(answer), org.administrator.client.post(path)])
    if (signedIn.status !== 200) continue
    const client = new ApiClient(market.url, signedIn.body.access_token)
    await until(async () => (await client.get('/flows/v1/me')).status === 401, BY_BUS)
  }
})

test('a reset while the first passkey is registered leaves no passkey and no session', async () => {
  for (let round = 0; round < 5; round++) {
    const member = await strictMember(market, org)
    const browser = newBrowser()
    const { firstPasskey } = (await browser.password(member.email)).body
    if (!firstPasskey) throw new Error('no challenge')
    const credential = newAuthenticator().create(firstPasskey)
    const path = `/flows/v1/users/${member.userId}/reset-passkeys`
    const [signedIn] = await Promise.all([browser.first(credential), org.administrator.client.post(path)])
    expect(signedIn.status).toBeOneOf([200, 401])
    expect(await market.db.owner`select id from identity.passkeys where user_id = ${member.userId}`).toHaveLength(0)
  }
})
