import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import PDFDocument from 'pdfkit'
import { measured, ready, rendered } from '../../../testing/models/rendered.ts'
import { stepCylinders } from '../../../testing/models/step.ts'
import { until } from '../../../testing/until.ts'
import { DEFAULT_MAX_TRIANGLES } from './limits.ts'
import { type Rendering, type RenderOptions, render } from './render.ts'
import { read3mf } from './three-mf.ts'

const folder = await mkdtemp(join(tmpdir(), 'processes-'))
const path = join(folder, 'part.step')
const file = stepCylinders(2000)
await Bun.write(path, file)
afterAll(() => rm(folder, { recursive: true }))

/** Processes that render a file for this one. */
async function children(): Promise<number[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    processes.map(async (id) => {
      const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')
      const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(parent) === process.pid && command.includes('renderer.ts') ? [Number(id)] : []
    }),
  )
  return found.flat()
}

const maxMemoryBytes = 3 * 1024 ** 3

/** Starts a rendering that takes seconds, and waits until its process has confined itself. */
async function started(options: Partial<RenderOptions> = {}) {
  const controller = new AbortController()
  const rendering: Promise<Rendering | Error> = render(path, {
    signal: controller.signal,
    maxMemoryBytes,
    ...options,
  }).catch((error) => error)
  const id = await until(async () => (await children())[0])
  return { controller, rendering, id }
}
const isConfined = async (id: number) => /^Seccomp:\s+2$/m.test(await readFile(`/proc/${id}/status`, 'utf8'))

test('an aborted rendering rejects with the reason, and leaves no process', async () => {
  const { controller, rendering, id } = await started()
  controller.abort(new Error('the service stops'))
  expect(await rendering).toEqual(new Error('the service stops'))
  expect(await children()).toEqual([])
  expect(() => process.kill(id, 0)).toThrow()
})

test('one that is aborted before starts no process', async () => {
  await expect(render(path, { signal: AbortSignal.abort(new Error('stopped')), maxMemoryBytes })).rejects.toThrow(
    'stopped',
  )
  expect(await children()).toEqual([])
})

test('one that takes longer than allowed: TIMEOUT, and no process is left', async () => {
  expect(await rendered(file, { timeoutMs: 1500 })).toEqual({ state: 'FAILED', reason: 'TIMEOUT' })
  expect(await children()).toEqual([])
})

test('a stopped process ends at its time, too', async () => {
  const { rendering, id } = await started({ timeoutMs: 3000 })
  process.kill(id, 'SIGSTOP')
  expect(await rendering).toEqual({ state: 'FAILED', reason: 'TIMEOUT' })
  expect(await children()).toEqual([])
})

test('one that needs more memory than allowed: OUT_OF_MEMORY', async () => {
  const options = { maxMemoryBytes: 250 * 1024 * 1024 }
  expect(await rendered(file, options)).toEqual({ state: 'FAILED', reason: 'OUT_OF_MEMORY' })
})

test('a native fault: CRASHED', async () => {
  const { rendering, id } = await started()
  process.kill(id, 'SIGSEGV')
  expect(await rendering).toEqual({ state: 'FAILED', reason: 'CRASHED' })
})

test('ended by the kernel, which is short of memory: OUT_OF_MEMORY', async () => {
  const { rendering, id } = await started()
  process.kill(id, 'SIGKILL')
  expect(await rendering).toEqual({ state: 'FAILED', reason: 'OUT_OF_MEMORY' })
})

test('its process has no environment and no open file of the service, a low priority and its own session', async () => {
  const { controller, rendering, id } = await started()
  const environment = (await readFile(`/proc/${id}/environ`, 'utf8')).split('\0').filter((line) => line !== '')
  expect(environment).toEqual(['BUN_RUNTIME_TRANSPILER_CACHE_PATH=0'])
  expect(await until(() => isConfined(id))).toBe(true)
  const stat = await readFile(`/proc/${id}/stat`, 'utf8')
  const [, , group, session, , , , , , , , , , , , , nice] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  expect([group, session, nice]).toEqual([String(id), String(id), '10'])
  expect(await readFile(`/proc/${id}/oom_score_adj`, 'utf8')).toBe('1000\n')
  expect(await readFile(`/proc/${id}/status`, 'utf8')).toMatch(/^NoNewPrivs:\s+1$/m)
  const descriptors = await readdir(`/proc/${id}/fd`)
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${id}/fd/${name}`).catch(() => '')))
  const own = await Promise.all(
    (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  )
  const shared = targets.filter(
    (target) => /^(socket|\/)/.test(target) && target !== '/dev/null' && own.includes(target),
  )
  expect(shared.filter((target) => target.startsWith('/'))).toEqual([])
  controller.abort()
  await rendering
})

test('a service that ends takes its process along', async () => {
  const program = `import { render } from '${join(import.meta.dir, 'render.ts')}'
    void render('${path}', { signal: new AbortController().signal, maxMemoryBytes: ${maxMemoryBytes} })`
  const service = Bun.spawn([process.execPath, '-e', program], { stdout: 'ignore', stderr: 'ignore' })
  const child = await until(async () => {
    const ids = (await readFile(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8')).trim().split(' ')
    const id = Number(ids.filter((text) => text !== '')[0])
    return id > 0 && (await isConfined(id).catch(() => false)) ? id : undefined
  })
  service.kill('SIGKILL')
  await service.exited
  await until(async () => !(await readFile(`/proc/${child}/status`, 'utf8').catch(() => '')))
})

test('40 cylinders as far apart as a large part is long: within 1 % of their volume', async () => {
  const { volume, bodies } = await measured(stepCylinders(40, 40))
  expect(bodies).toBe(40)
  expect(Math.abs(volume / (40 * Math.PI * 250) - 1)).toBeLessThan(0.011)
}, 90_000)

test('a PDF of 5,000 pages: ten pictures', async () => {
  const document = new PDFDocument()
  for (let page = 1; page < 5000; page++) document.addPage()
  document.end()
  const { pages, previews } = await ready(new Uint8Array(Buffer.concat(await Array.fromAsync(document))))
  expect([pages, previews.length]).toEqual([5000, 10])
})

/** A ZIP file of entries with the same content, which is compressed once. */
function zipOf(names: readonly string[], content: Uint8Array): Uint8Array {
  const data = deflateRawSync(content, { level: 1 })
  // The method, no time, the checksum and the sizes.
  const described = Buffer.alloc(20)
  described.writeUInt16LE(8, 0)
  described.writeUInt32LE(crc32(content), 6)
  described.writeUInt32LE(data.length, 10)
  described.writeUInt32LE(content.length, 14)
  const [files, directory]: [Uint8Array[], Uint8Array[]] = [[], []]
  let offset = 0
  for (const name of names) {
    const named = Buffer.from(name)
    described.writeUInt16LE(named.length, 18)
    const place = Buffer.alloc(16)
    place.writeUInt32LE(offset, 12)
    const file = Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0'), described, Buffer.alloc(2), named, data])
    files.push(file)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0\x14\0\0\0'), described, place, named]))
    offset += file.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(names.length, 8)
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...files, ...directory, end])
}

test('a 3MF of more than a gigabyte in a few megabytes: TOO_COMPLEX', () => {
  const names = [1, 2, 3].map((at) => `3D/${at}.model`)
  const model = Buffer.alloc(384 * 1024 * 1024, ' ')
  model.write('<model>')
  model.write('</model>', model.length - 8)
  const bomb = zipOf(names, model)
  expect(bomb.length).toBeLessThan(16 * 1024 * 1024)
  // Not in a process of low priority, which a busy machine ends at its time.
  expect(() => read3mf(bomb, DEFAULT_MAX_TRIANGLES)).toThrow(expect.objectContaining({ reason: 'TOO_COMPLEX' }))
}, 120_000)
