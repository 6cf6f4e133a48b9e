import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../../../services/testing/marketplace.ts'
import { until } from '../../../../services/testing/until.ts'

const MAIN = join(import.meta.dir, '..', 'src', 'cli', 'main.ts')
const DOCUMENT = join(import.meta.dir, '..', '..', '..', 'openapi', 'marketplace.json')
const market = await marketplaceWithWorkers([])
const { administrator } = await market.organization(['IP_OWNER'])
const { email, client } = administrator
const home = await mkdtemp(join(tmpdir(), 'marketplace-cli-'))
afterAll(() => rm(home, { recursive: true, force: true }))
const folder = join(home, '.local', 'state', 'marketplace')
const files = async () => (await readdir(folder)).sort()

const spawn = (words: string[], env: Record<string, string> = {}) =>
  Bun.spawn([process.execPath, MAIN, ...words], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
async function run(words: string[], env?: Record<string, string>) {
  const child = spawn(words, env)
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, output, errors }
}
const login = (url: string) => run(['login', '--url', url, '--email', email], { MARKETPLACE_PASSWORD: TEST_PASSWORD })

/** Another host, which keeps what it is sent. */
function otherHost(answer: (path: string) => Response | Promise<Response> = () => new Response(null, { status: 404 })) {
  const received: { path: string; body: string; authorization: string | null }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      if (path === '/openapi.json') return new Response(Bun.file(DOCUMENT))
      received.push({ path, body: await request.text(), authorization: request.headers.get('authorization') })
      return answer(path)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) }
}

describe('the session of `login`', () => {
  test('is used at its address alone, and another one ends with 3 and is sent nothing', async () => {
    const port = new URL(market.url).port
    expect((await login(`http://LOCALHOST:${port}//`)).errors).toBe(
      `${email} is signed in at http://localhost:${port}.\n`,
    )
    const [session] = await files()
    expect(await files()).toEqual([expect.stringMatching(/^refresh-token-[0-9a-f]{32}$/), 'url'])
    expect((await stat(join(folder, session as string))).mode & 0o777).toBe(0o600)
    for (const url of [undefined, `http://localhost:${port}`, `HTTP://LocalHost:${port}/`]) {
      expect((await run(['get-me'], url === undefined ? {} : { MARKETPLACE_URL: url })).code).toBe(0)
    }
    const kept = await readFile(join(folder, session as string), 'utf8')
    const other = otherHost()
    for (const command of ['get-me', 'logout']) {
      const { code, output, errors } = await run([command], { MARKETPLACE_URL: `${other.url}/` })
      expect([command, code, output, errors]).toEqual([
        command,
        3,
        '',
        `You are not signed in at ${other.url}: run \`marketplace login --url ${other.url}\`.\n`,
      ])
    }
    expect(other.received).toEqual([])
    await other.stop()
    expect(await readFile(join(folder, session as string), 'utf8')).toBe(kept)
  })

  test('is not sent to where the marketplace redirects', async () => {
    await login(market.url)
    const other = otherHost()
    const redirecting = otherHost((path) =>
      path.endsWith('/token') && redirecting.received.length > 1
        ? Response.redirect(`${other.url}${path}`, 307)
        : Response.json({ access_token: 'a', refresh_token: 'secret', token_type: 'Bearer', expires_in: 1 }),
    )
    expect((await login(redirecting.url)).code).toBe(0)
    expect((await run(['get-me'])).code).toBe(4)
    expect(other.received).toEqual([])
    await Promise.all([other.stop(), redirecting.stop()])
  })

  test('that has ended is deleted by logout', async () => {
    await login(market.url)
    const before = await files()
    const { body } = await client.get<{ items: { id: string }[] }>('/flows/v1/sessions?pageSize=50')
    for (const { id } of body.items) await client.post(`/flows/v1/sessions/${id}/end`)
    expect(await run(['logout'])).toEqual({ code: 0, output: '', errors: '' })
    expect((await files()).length).toBe(before.length - 1)
    expect((await run(['get-me'])).code).toBe(3)
  })
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s during a token request leaves no lock', async (signal) => {
  const answered = Promise.withResolvers<Response>()
  const host = otherHost(() =>
    host.received.length === 1
      ? Response.json({ access_token: 'a', refresh_token: 'first', token_type: 'Bearer', expires_in: 900 })
      : answered.promise,
  )
  await login(host.url)
  const session = (await files()).find((name) => name.startsWith('refresh-token')) as string
  const tokens = async () => {
    const contents = await Promise.all((await files()).map((name) => readFile(join(folder, name), 'utf8')))
    return contents.filter((text) => /^(first|second)$/.test(text))
  }
  const child = spawn(['get-me'])
  await until(() => host.received.length === 2, { what: 'the token request' })
  expect(session && (await files()).filter((name) => name.endsWith('.lock'))).toHaveLength(1)
  child.kill(signal)
  // An answer in time is kept, because the marketplace has replaced the token.
  answered.resolve(Response.json({ access_token: 'a', refresh_token: 'second', token_type: 'Bearer', expires_in: 900 }))
  await child.exited
  expect(child.signalCode).toBe(signal)
  expect((await files()).filter((name) => name.endsWith('.lock'))).toEqual([])
  expect(await tokens()).toContain('second')
  await host.stop()
})

test('Ctrl-C during a token request that is not answered leaves no lock', async () => {
  const host = otherHost(() =>
    host.received.length === 1
      ? Response.json({ access_token: 'a', refresh_token: 'first', token_type: 'Bearer', expires_in: 900 })
      : new Promise<Response>(() => {}),
  )
  await login(host.url)
  const child = spawn(['get-me'])
  await until(() => host.received.length === 2, { what: 'the token request' })
  child.kill('SIGINT')
  await child.exited
  expect(child.signalCode).toBe('SIGINT')
  expect((await files()).filter((name) => name.endsWith('.lock'))).toEqual([])
  await host.stop()
})
