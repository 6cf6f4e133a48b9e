import { expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { marketplaceWithWorkers } from '../../../../services/testing/marketplace.ts'
import { openSession } from '../../../../services/testing/sessions.ts'
import { tokenFile } from '../src/token-file.ts'

const market = await marketplaceWithWorkers([])
const { administrator } = await market.organization(['IP_OWNER'])
const SRC = join(import.meta.dir, '..', 'src')

/** A process that signs in with the token of a file and prints its user. */
const PROGRAM = `
import { createMarketplace, refreshToken } from '${SRC}/index.ts'
import { tokenFile } from '${SRC}/token-file.ts'
const [url, path] = process.argv.slice(2)
const market = createMarketplace({ url, credentials: refreshToken(tokenFile(path)) })
const answers = await Promise.all([market.GET('/flows/v1/me'), market.GET('/flows/v1/me')])
process.stdout.write(answers.map(({ data }) => data.user.email).join())
`

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'token-file-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('processes that start together exchange one token after the other, and the session lives on', () =>
  inFolder(async (folder) => {
    const [path, program] = [join(folder, 'token'), join(folder, 'program.ts')]
    const { refreshToken } = await openSession(market, administrator)
    await tokenFile(path).write(refreshToken)
    await writeFile(program, PROGRAM)
    const processes = Array.from({ length: 4 }, () => Bun.spawn([process.execPath, program, market.url, path]))
    const outputs = await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()))
    expect(outputs).toEqual(Array(4).fill(`${administrator.email},${administrator.email}`))
    expect(await readFile(path, 'utf8')).not.toBe(refreshToken)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['program.ts', 'token']))
    expect(await readdir(folder)).toHaveLength(2)
  }))

test('a failed exchange keeps the token and frees the lock', () =>
  inFolder(async (folder) => {
    const file = tokenFile(join(folder, 'token'))
    await file.write('first')
    await expect(file.exchange(() => Promise.reject(new Error('busy')))).rejects.toThrow('busy')
    const used: string[] = []
    await file.exchange(async (refreshToken) => {
      used.push(refreshToken)
      return { accessToken: '', refreshToken: 'second', expiresAtMs: 0 }
    })
    expect([used, await readFile(join(folder, 'token'), 'utf8')]).toEqual([['first'], 'second'])
  }))

test('exchanges do not overlap', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'token')
    await tokenFile(path).write('0')
    let running = 0
    const exchange = () =>
      tokenFile(path).exchange(async (refreshToken) => {
        expect(++running).toBe(1)
        await Bun.sleep(5)
        running--
        return { accessToken: '', refreshToken: String(Number(refreshToken) + 1), expiresAtMs: 0 }
      })
    await Promise.all(Array.from({ length: 5 }, exchange))
    expect(await readFile(path, 'utf8')).toBe('5')
  }))

test('a lock that another process holds is waited for and never broken', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'token')
    await writeFile(`${path}.lock`, '')
    const exchanged = tokenFile(path, { maxWaitMs: 100 }).exchange(() => Promise.reject(new Error('exchanged')))
    await expect(exchanged).rejects.toThrow(`${path}.lock is held: remove it if its process has ended.`)
    expect(await readdir(folder)).toEqual(['token.lock'])
  }))

test('a sign-in waits for a running exchange, whose token does not replace its own', () =>
  inFolder(async (folder) => {
    const path = join(folder, 'token')
    await tokenFile(path).write('first')
    const [exchanging, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const exchanged = tokenFile(path).exchange(async () => {
      exchanging.resolve()
      await answer.promise
      return { accessToken: '', refreshToken: 'successor of the first', expiresAtMs: 0 }
    })
    await exchanging.promise
    await expect(tokenFile(path, { maxWaitMs: 0 }).write('other account')).rejects.toThrow('is held')
    const signedIn = tokenFile(path).write('other account')
    answer.resolve()
    await Promise.all([exchanged, signedIn])
    expect(await readFile(path, 'utf8')).toBe('other account')
    expect(await readdir(folder)).toEqual(['token'])
  }))

test.each([
  ['another session', 'other account'],
  ['no session', undefined],
])('an exchange that finds %s at its end keeps it so', (_, found) =>
  inFolder(async (folder) => {
    const path = join(folder, 'token')
    await tokenFile(path).write('first')
    const { accessToken } = await tokenFile(path).exchange(async () => {
      if (found === undefined) await rm(path)
      else await writeFile(path, found)
      return { accessToken: 'of the first', refreshToken: 'second', expiresAtMs: 0 }
    })
    expect(accessToken).toBe('of the first')
    expect(await readFile(path, 'utf8').catch(() => undefined)).toBe(found)
    expect(await readdir(folder)).toEqual(found === undefined ? [] : ['token'])
  }),
)
