import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../testing/free-port.ts'
import { TEST_PASSWORD, testMarketplace } from '../testing/marketplace.ts'

const ROOT = join(import.meta.dir, '..', '..')
const PAGES = ['README.md', 'proto/guides/parts-and-files.md', 'proto/guides/organization.md']

/** A command block and the response block after it. */
const STEP = /```sh\n([^`]*curl[^`]*)```\n```json\n([^`]*)```/g

// The commands use URLs from responses, so PUBLIC_URL must be the actual address.
const port = String(freePort())
const market = await testMarketplace({
  PORT: port,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  // The guides import a file from the marketplace itself.
  ALLOW_PRIVATE_ADDRESSES: 'true',
})
const administrator = { email: 'bodil.krogh@skagen-pumps.example.com', givenName: 'Bodil', familyName: 'Krogh' }
const org = await market.organization(['IP_OWNER'], { administrator })
const member = await org.member('IP owner')

test.each(PAGES)('the commands of %s return the responses that it shows', async (name) => {
  const page = await Bun.file(join(ROOT, name)).text()
  const steps = [...page.matchAll(STEP)].map(([, command = '', answer = '']) => ({ command, answer }))
  expect(steps.length).toBeGreaterThanOrEqual(3)
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  const marker = '----next-step----'
  // One shell runs all steps, because later steps use variables of earlier ones.
  const script = steps.map(({ command }) => command.replaceAll('/tmp/', `${folder}/`)).join(`\necho '${marker}'\n`)
  const shell = Bun.spawn(['bash', '-c', script], {
    env: {
      PATH: process.env.PATH ?? '',
      BASE: market.url,
      EMAIL: member.email,
      PASSWORD: TEST_PASSWORD,
      ADMIN_PASSWORD: TEST_PASSWORD,
    },
    cwd: folder,
    stdin: 'ignore',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
  await rm(folder, { recursive: true })
  expect(errors).toBe('')
  const answers = output.split(marker)
  expect(answers).toHaveLength(steps.length)
  for (const [index, { answer }] of steps.entries()) {
    expect(withPlaceholders(JSON.parse(answers[index] as string))).toEqual(JSON.parse(answer))
  }
})

const PLACEHOLDERS: [RegExp, string][] = [
  [/^http:\/\/127\.0\.0\.1:\d+\/files\/(uploads|objects)\/.+signature=/, '<address>'],
  [/^freja\.lund\.\d+@skagen-pumps\.example\.com$/, '<address>'],
  [/^http:\/\/[\w.:]+\/(activate|impersonate)#[\w-]{43}$/, '<link>'],
  [/^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/, '<id>'],
  [/^[PRO]-[0-9A-HJKMNP-TV-Z]{8}$/, '<serial>'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, '<time>'],
  [/^[0-9a-f]{8}-[0-9a-f-]{27}$/, '<request>'],
  [/^(eyJ[\w.-]+|[\w-]{43})$/, '<token>'],
]

/** Replaces values that differ between runs by placeholders. */
function withPlaceholders(value: unknown): unknown {
  if (typeof value === 'string') return PLACEHOLDERS.find(([pattern]) => pattern.test(value))?.[1] ?? value
  if (Array.isArray(value)) return value.map(withPlaceholders)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPlaceholders(item)]))
}
