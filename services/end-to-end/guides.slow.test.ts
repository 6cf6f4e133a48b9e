import { expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ORGANIZATIONS } from '../../scripts/commands/seed/story.ts'
import { createFactory } from '../testing/factories.ts'
import { freePort } from '../testing/free-port.ts'
import { TEST_PASSWORD, testMarketplace } from '../testing/marketplace.ts'
import { scimAccount } from '../testing/scim.ts'
import { createdKey } from '../testing/service-accounts.ts'
import { until } from '../testing/until.ts'

const ROOT = join(import.meta.dir, '..', '..')
const GUIDES = join(ROOT, 'proto', 'guides')
/** Guides without requests. */
const TEXTS = [
  'company-sign-in.md',
  'compatibility.md',
  'generated-clients.md',
  'limits.md',
  'passkeys.md',
  'trying-out.md',
]
const GUIDE_NAMES = (await readdir(GUIDES)).filter((name) => !TEXTS.includes(name)).sort()
const PAGES = [join(ROOT, 'README.md'), ...GUIDE_NAMES.map((name) => join(GUIDES, name))]

const BODY = '((?:(?!```)[\\s\\S])*)'
/** A command block, perhaps the same in TypeScript and Python, perhaps with the response. */
const STEP = new RegExp(
  `\`\`\`sh\\n((?:(?!\`\`\`)[\\s\\S])*curl${BODY})\`\`\`\\n(?:\`\`\`ts\\n${BODY}\`\`\`\\n\`\`\`python\\n${BODY}\`\`\`\\n)?(?:\`\`\`json\\n${BODY}\`\`\`)?`,
  'g',
)
/** A program, whose first line is a comment with its file name. */
const PROGRAM = /```(?:ts|python)\n(?:\/\/|#) (\S+)\n((?:(?!```)[\s\S])*)```/g
const stepsOf = (page: string) =>
  [...page.matchAll(STEP)].map(([, sh = '', , ts, python, answer]) => ({ sh, ts, python, answer }))

/** Every guide continues with the variables of the first one. */
const FIRST = join(GUIDES, 'getting-started.md')
const [signIn] = stepsOf(await Bun.file(FIRST).text())

const MARKER = '----next-step----'
/**
 * How a program is run, and how it prints the marker between steps. One program runs all steps, because later ones use
 * variables of earlier ones.
 */
const LANGUAGES = {
  sh: { command: ['bash', '-euo', 'pipefail'], file: 'steps.sh', mark: `echo '${MARKER}'` },
  ts: { command: [process.execPath], file: 'steps.ts', mark: `console.log('${MARKER}')` },
  python: { command: ['python3'], file: 'steps.py', mark: `print('${MARKER}', flush=True)` },
} as const
type Language = keyof typeof LANGUAGES

const programOf = (path: string, steps: ReturnType<typeof stepsOf>, language: Language) =>
  [
    ...(path === FIRST ? [] : [signIn?.[language]]),
    ...steps.flatMap((step) => [LANGUAGES[language].mark, step[language]]),
  ].join('\n')

/** Every guide in each language; the README shows its requests in the shell alone. */
const PROGRAMS = PAGES.flatMap((path) => {
  const languages: Language[] = path.startsWith(GUIDES) ? ['sh', 'ts', 'python'] : ['sh']
  return languages.map((language) => [path, language] as const)
})

/** The client of the repository, by the name of its package. */
const CLIENT = join(ROOT, 'proto', 'clients', 'typescript', 'src', 'index.ts')
const TSCONFIG = JSON.stringify({ compilerOptions: { paths: { 'marketplace-client': [CLIENT] } } })

/** Stands in for jq where it is not installed; on the largest documents it takes a hundred times as long. */
const JQ = join(import.meta.dir, '..', 'testing', 'jq.ts')
const isJqInstalled = Bun.which('jq') !== null

// The commands use URLs from responses, so PUBLIC_URL must be the actual address.
const port = String(freePort())
const market = await testMarketplace({
  // No server listens there.
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'no-reply@example.com',
  PORT: port,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  // The guides import a file from the marketplace itself.
  ALLOW_PRIVATE_ADDRESSES: 'true',
})
const administrator = { email: 'bodil.krogh@skagen-pumps.example.com', givenName: 'Bodil', familyName: 'Krogh' }
const org = await market.organization(['IP_OWNER'], { administrator })
const member = await org.member('IP owner')
const scim = await scimAccount(market, org.administrator.client)
const scimKey = await createdKey(org.administrator.client, scim.userId)
// The other parties of the trade.
await market.organization(['CONSUMER'], {
  administrator: { email: 'mikkel.friis@nordhavn.example.com', givenName: 'Mikkel', familyName: 'Friis' },
})
for (const [name, email] of [
  ['Vestland Additive', 'lars.haugen@vestland-additive.example.com'],
  ['Ruhr Präzision', 'stefan.krause@ruhr-praezision.example.com'],
] as const) {
  const administrator = { email, givenName: 'Lars', familyName: 'Maker' }
  const maker = await market.organization(['MANUFACTURER'], { name, administrator })
  for (const factory of ORGANIZATIONS.find((one) => one.name === name)?.factories ?? [])
    await createFactory(maker.administrator.client, factory)
}

/** Otherwise an event of one guide could reach the endpoint that the next one registers. */
const allIngested = () =>
  until(
    async () => {
      const waiting = await market.db.owner`
        select from sourcing.outbox event
        where type ~ '^(cases|assignments)\\.' and not exists (select from webhooks.events where id = event.id)`
      return waiting.length === 0
    },
    { what: 'the ingestion of every event' },
  )

test.each(PROGRAMS)(
  'the requests of %s in %s return the responses that it shows',
  async (path, language) => {
    await allIngested()
    const text = await Bun.file(path).text()
    const steps = stepsOf(text)
    expect(steps.some(({ answer }) => answer !== undefined)).toBe(true)
    expect(steps.map((step) => step[language] !== undefined)).not.toContain(false)
    const folder = await mkdtemp(join(tmpdir(), 'guide-'))
    if (!isJqInstalled)
      await writeFile(join(folder, 'jq'), `#!/bin/sh\nexec '${process.execPath}' '${JQ}' "$@"\n`, { mode: 0o755 })
    await symlink(process.execPath, join(folder, 'bun'))
    await writeFile(join(folder, 'tsconfig.json'), TSCONFIG)
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const receiverPort = String(freePort())
    const placed = (text: string) => text.replaceAll('/tmp/', `${folder}/`).replaceAll('4401', receiverPort)
    for (const [, file = '', program = ''] of text.matchAll(PROGRAM))
      await writeFile(join(folder, file), placed(program))
    const { command, file } = LANGUAGES[language]
    await writeFile(join(folder, file), placed(programOf(path, steps, language)))
    const shell = Bun.spawn([...command, file], {
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        BASE: market.url,
        EMAIL: member.email,
        PASSWORD: TEST_PASSWORD,
        ADMIN_PASSWORD: TEST_PASSWORD,
        BUYER_PASSWORD: TEST_PASSWORD,
        VESTLAND_PASSWORD: TEST_PASSWORD,
        RUHR_PASSWORD: TEST_PASSWORD,
        SCIM_CLIENT_ID: scimKey.clientId,
        SCIM_CLIENT_SECRET: scimKey.clientSecret,
        PYTHONPATH: process.env.TEST_PYTHON_PACKAGES ?? '',
      },
      cwd: folder,
      stdin: 'ignore',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
    await rm(folder, { recursive: true })
    expect([errors, await shell.exited]).toEqual(['', 0])
    const [, ...answers] = output.split(MARKER)
    for (const [index, { answer }] of steps.entries()) {
      if (answer === undefined) continue
      expect(parsed(answers[index] ?? '').map(withPlaceholders)).toEqual(
        parsed(answer.replaceAll('http://localhost:8080', market.url)),
      )
    }
  },
  60_000,
)

test('the journey of the README stops at a failed request and shows its answer', async () => {
  const [step] = stepsOf(await Bun.file(join(ROOT, 'README.md')).text())
  const shell = Bun.spawn(['bash', '-c', step?.sh ?? ''], {
    env: { PATH: process.env.PATH, BASE: market.url, EMAIL: member.email, PASSWORD: 'not-the-password' },
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([shell.stdout.text(), shell.stderr.text()])
  expect([output, (await shell.exited) > 0]).toEqual(['', true])
  expect(errors).toContain('"code":"invalid_credentials"')
})

test('the TypeScript programs of the guides need no more than Node 20 has', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const files: string[] = []
  for (const path of PAGES) {
    for (const [, file = '', program = ''] of (await Bun.file(path).text()).matchAll(PROGRAM)) {
      if (!file.endsWith('.ts')) continue
      files.push(file)
      await writeFile(join(folder, file), program)
    }
  }
  expect(files.sort()).toEqual(['event-reader.ts', 'receiver.ts'])
  for (const [path, language] of PROGRAMS) {
    if (language !== 'ts') continue
    const name = `${basename(path, '.md')}.ts`
    files.push(name)
    await writeFile(join(folder, name), `${programOf(path, stepsOf(await Bun.file(path).text()), 'ts')}\nexport {}\n`)
  }
  const node20 = { lib: ['es2023', 'dom'], types: ['node'], module: 'esnext', moduleResolution: 'bundler' }
  const options = { noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true, ...node20 }
  const compilerOptions = { ...options, ...JSON.parse(TSCONFIG).compilerOptions }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const compiler = join(ROOT, 'node_modules', '.bin', 'tsc')
  const checked = Bun.spawn([compiler], { cwd: folder })
  const output = await checked.stdout.text()
  await rm(folder, { recursive: true })
  expect([output, await checked.exited]).toEqual(['', 0])
})

/** The JSON of a block: one document, or one on each line. */
function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
}

const PLACEHOLDERS: [RegExp, string][] = [
  [/^http:\/\/127\.0\.0\.1:\d+\/files\/(uploads|objects)\/.+signature=/, '<address>'],
  [/^user_[0-9a-z]{26}@service-accounts\.[\w.]+$/, '<address>'],
  [/^(freja\.lund|sales)\.\d+@skagen-pumps\.example\.com$/, '<address>'],
  [/^http:\/\/[\w.:]+\/(activate|impersonate)#[\w-]{43}$/, '<link>'],
  [/^[a-z]+_[0-9A-HJKMNP-TV-Z]{26}$/, '<id>'],
  [/^[PRO]-[0-9A-HJKMNP-TV-Z]{8}$/, '<serial>'],
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, '<time>'],
  [/^\d{4}-\d\d-\d\d$/, '<date>'],
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
