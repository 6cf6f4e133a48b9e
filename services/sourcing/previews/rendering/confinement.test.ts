import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = await mkdtemp(join(tmpdir(), 'confinement-'))
const sockets: unknown[] = []
const listener = Bun.listen({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open: (socket) => {
      sockets.push(socket)
    },
    data: () => {},
  },
})
const local = Bun.listen({
  unix: join(folder, 'socket'),
  socket: { open: (socket) => void sockets.push(socket), data: () => {} },
})
afterAll(async () => {
  listener.stop(true)
  local.stop(true)
  await rm(folder, { recursive: true })
})
await Bun.write(join(folder, 'secret'), 'secret')

/** What a confined process can still do: each attempt says whether it succeeded. */
const ATTEMPTS: Record<string, string> = {
  'read a file': `readFileSync('${join(folder, 'secret')}')`,
  'write a file': `writeFileSync('${join(folder, 'new')}', 'x')`,
  'list a folder': `readdirSync('/')`,
  'read the environment of its parent': `readFileSync('/proc/${process.pid}/environ')`,
  'read the memory of its parent': `openSync('/proc/${process.pid}/mem', 'r')`,
  'connect over TCP': `await Bun.connect({ hostname: '127.0.0.1', port: ${listener.port}, socket: { data() {} } })`,
  'connect to a local socket': `await Bun.connect({ unix: '${join(folder, 'socket')}', socket: { data() {} } })`,
  'connect by node:net': `await once(connect(${listener.port}, '127.0.0.1'), 'connect')`,
  listen: `Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })`,
  'send a datagram': `await Bun.udpSocket({})`,
  'look up a name': `await lookup('localhost')`,
  'start a program': `Bun.spawnSync(['/bin/true'])`,
  'start a program by node:child_process': `if (spawnSync('/bin/true').error) throw 1`,
  'signal its parent': `process.kill(${process.pid}, 0)`,
  'use fetch': `if (typeof fetch !== 'function') throw 1`,
  compute: `new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0))`,
  wait: `await Bun.sleep(1)`,
  'use a thread': `await new Bun.Image(png).png().bytes()`,
}

const PROGRAM = `
import { spawnSync } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { confine, subordinate } from '${join(import.meta.dir, 'confinement.ts')}'
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
subordinate(${process.pid}, 1e9)
confine()
const attempts = {
${Object.entries(ATTEMPTS)
  .map(([name, code]) => `  ${JSON.stringify(name)}: async () => { ${code} },`)
  .join('\n')}
}
for (const [name, attempt] of Object.entries(attempts)) {
  const succeeded = await attempt().then(() => true, () => false)
  writeSync(1, JSON.stringify([name, succeeded]) + '\\n')
}
process.exit(0)
`

test.if(process.platform === 'linux')(
  'a confined process computes, and reaches no file, network, program or other process',
  async () => {
    const child = Bun.spawn([process.execPath, '--no-install', '-e', PROGRAM], { env: {}, stderr: 'pipe' })
    const lines = (await child.stdout.text()).trim().split('\n')
    expect(await child.stderr.text()).toBe('')
    const succeeded = lines.map((line): [string, boolean] => JSON.parse(line)).filter(([, success]) => success)
    expect(lines.length).toBe(Object.keys(ATTEMPTS).length)
    expect(succeeded.map(([name]) => name)).toEqual(['compute', 'wait', 'use a thread'])
    expect(sockets).toEqual([])
    expect(await Bun.file(join(folder, 'new')).exists()).toBe(false)
  },
)

test('without confinement the same attempts succeed', async () => {
  const program = PROGRAM.replace('\nconfine()\n', '\n').replace(/\nsubordinate\(.*\)\n/, '\n')
  const child = Bun.spawn([process.execPath, '--no-install', '-e', program], { env: {} })
  const lines = (await child.stdout.text()).trim().split('\n')
  const failed = lines.map((line): [string, boolean] => JSON.parse(line)).filter(([, success]) => !success)
  // The system may protect memory of another process.
  expect(failed.map(([name]) => name).filter((name) => name !== 'read the memory of its parent')).toEqual([])
  expect(sockets.length).toBe(3)
})
