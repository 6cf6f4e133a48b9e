import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { until } from '../../../../services/testing/until.ts'

const MAIN = join(import.meta.dir, '..', 'src', 'cli', 'main.ts')
const DOCUMENT = join(import.meta.dir, '..', '..', '..', 'openapi', 'marketplace.json')
/** Clears the screen, sets the window's title with a C1 control, turns text around, and begins a line. */
const HOSTILE = 'Gear\u001b[2J\u009b2J\u007f\u202etxt.exe\u2028\nok'
const SHOWN = 'Gear\\u001b[2J\\u009b2J\\u007f\\u202etxt.exe\\u2028'

const sentElsewhere: string[] = []
const page = { items: [{ id: 'part_1', title: HOSTILE }], hasMore: false }
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/openapi.json') {
      const document = await Bun.file(DOCUMENT).json()
      document.paths['/v1/parts'].get.description = HOSTILE
      return Response.json(document)
    }
    if (pathname === '/flows/v1/rfqs') return new Response(null, { status: 308, headers: { location: '/elsewhere' } })
    if (pathname === '/elsewhere') sentElsewhere.push(await request.text())
    if (pathname === '/v1/parts') return Response.json(page)
    if (pathname === '/flows/v1/audit-log/export') return new Response(`${HOSTILE}\n`, { headers: LINES })
    return Response.json({ detail: HOSTILE, code: 'conflict' }, { status: 409, headers: PROBLEM })
  },
})
afterAll(() => server.stop(true))
const LINES = { 'content-type': 'application/x-ndjson' }
const PROBLEM = { 'content-type': 'application/problem+json' }
const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  MARKETPLACE_URL: server.url.href,
  MARKETPLACE_TOKEN: 'x',
}

async function piped(...words: string[]) {
  const child = Bun.spawn([process.execPath, MAIN, ...words], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { output, errors }
}

async function atTerminal(...words: string[]) {
  let shown = ''
  const receive = (_terminal: unknown, data: Uint8Array) => {
    shown += new TextDecoder().decode(data)
  }
  const child = Bun.spawn([process.execPath, MAIN, ...words], {
    env: { ...env, TERM: 'dumb' },
    terminal: { cols: 200, rows: 50, data: receive },
  })
  await child.exited
  await until(() => shown.includes('\nok'), { what: 'the output' })
  child.terminal?.close()
  return shown.replaceAll('\r\n', '\n')
}

test('a table and an error show what would command a terminal', async () => {
  const table = await piped('list-parts', '--output', 'table', '--columns', 'id,title')
  expect(table.output).toBe(`id      title\npart_1  ${`${SHOWN}\\u000aok`.slice(0, 39)}…\n`)
  const { errors } = await piped('get-part', 'part_1')
  expect(errors).toContain(`${SHOWN}\nok (conflict)`)
})

test('JSON has the same values, without such characters', async () => {
  const { output } = await piped('list-parts')
  expect(JSON.parse(output)).toEqual(page)
  expect(output.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028-\u202e]/u)
})

test('CSV and lines are exact for a program, and shown so at a terminal', async () => {
  const csv = ['list-parts', '--output', 'csv', '--columns', 'title']
  expect((await piped(...csv)).output).toBe(`title\r\n"${HOSTILE}"\r\n`)
  expect(await atTerminal(...csv)).toBe(`title\n"${SHOWN}\nok"\n`)
  expect((await piped('export-audit-log')).output).toBe(`${HOSTILE}\n`)
  expect(await atTerminal('export-audit-log')).toBe(`${SHOWN}\nok\n`)
})

test('the help of an operation shows what would command a terminal', async () => {
  const { output } = await piped('list-parts', '--help')
  expect(output).toContain('Gear\\u001b[2J')
  expect(output).not.toContain('\u001b[2J')
})

test('a command does not follow a redirect, which could send its body to another host', async () => {
  const { errors } = await piped('create-rfq', '--body', '{"partId": "part_secret"}')
  expect(errors).toMatch(/redirect/i)
  expect(sentElsewhere).toEqual([])
})
