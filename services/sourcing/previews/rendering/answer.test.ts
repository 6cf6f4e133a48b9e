import { expect, test } from 'bun:test'
import { type Answer, CONFINED, decodeAnswer, encodeAnswer, outputOf, UNCONFINED } from './answer.ts'
import { encodePng } from './png.ts'
import type { Preview } from './render.ts'

const content = encodePng(new Uint8Array(2 * 3 * 4), 2, 3)
const preview: Preview = { kind: 'IMAGE', contentType: 'image/png', width: 2, height: 3, content }
const glb: Preview = { kind: 'MODEL', contentType: 'model/gltf-binary', content: Buffer.from('glTF and more') }
const geometry = {
  ...{ boundingBox: { x: 1, y: 2, z: 3 }, volume: 6, surfaceArea: 22, bodies: 1, triangles: 12, watertight: true },
  unit: 'mm',
}
const ready: Answer = { state: 'READY', geometry, previews: [glb, preview] }

const output = (answer: unknown, first = CONFINED) =>
  Buffer.concat([Uint8Array.of(first), ...encodeAnswer(answer as Answer)])

test('an answer is read as it was written', () => {
  const read = decodeAnswer(output(ready))
  expect(read).toEqual({
    ...ready,
    previews: [
      { ...glb, content: new Uint8Array(glb.content) },
      { ...preview, content: new Uint8Array(content) },
    ],
  })
  expect(decodeAnswer(output({ state: 'FAILED', reason: 'INVALID' }))).toEqual({ state: 'FAILED', reason: 'INVALID' })
})

test.each<[string, unknown]>([
  ['another state', { state: 'DONE' }],
  ['a further field', { ...ready, url: 'https://example.com' }],
  ['a further field of the geometry', { ...ready, geometry: { ...geometry, owner: 'org' } }],
  ['another unit', { ...ready, geometry: { ...geometry, unit: '<script>' } }],
  ['a negative volume', { ...ready, geometry: { ...geometry, volume: -1 } }],
  ['no number', { ...ready, geometry: { ...geometry, volume: Number.NaN } }],
  ['another reason', { state: 'FAILED', reason: 'TRY_AGAIN' }],
  ['another type', { ...ready, previews: [{ ...preview, contentType: 'text/html' }] }],
  ['a type that the content is not', { ...ready, previews: [{ ...preview, content: Buffer.from('<html>') }] }],
  ['a model that is none', { ...ready, previews: [{ ...glb, content: Buffer.from('<html>') }] }],
  ['a size that the content has not', { ...ready, previews: [{ ...preview, width: 3 }] }],
  ['eleven previews', { ...ready, previews: Array.from({ length: 11 }, () => preview) }],
  ['an unsupported file after the confinement', { state: 'UNSUPPORTED' }],
  ['a failed confinement after the confinement', { state: 'UNCONFINED', message: 'again' }],
])('%s: no answer', (_, answer) => {
  expect(decodeAnswer(output(answer))).toBeUndefined()
})

test('before the confinement no file is read, so nothing is READY or FAILED', () => {
  expect(decodeAnswer(output(ready, UNCONFINED))).toBeUndefined()
  expect(decodeAnswer(output({ state: 'FAILED', reason: 'INVALID' }, UNCONFINED))).toBeUndefined()
  expect(decodeAnswer(output({ state: 'UNSUPPORTED' }, UNCONFINED))).toEqual({ state: 'UNSUPPORTED' })
})

test.each([
  ['nothing', new Uint8Array()],
  ['a part', output(ready).subarray(0, -1)],
  ['more', Buffer.concat([output(ready), Uint8Array.of(0)])],
  ['a header of four gigabytes', Uint8Array.of(1, 255, 255, 255, 255, 0x7b)],
  ['a header that is no JSON', Uint8Array.of(1, 1, 0, 0, 0, 0x7b)],
])('%s: no answer', (_, bytes) => {
  expect(decodeAnswer(bytes)).toBeUndefined()
})

test('a process that writes without end: told once more than an answer has come, and nothing more is kept', async () => {
  let sent = 0
  let isStopped = false
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isStopped) return controller.close()
      sent += 1
      controller.enqueue(new Uint8Array(1024 * 1024))
    },
  })
  const kept = await outputOf(stream, () => {
    isStopped = true
  })
  // 64 MB of content, the header, and what was under way.
  expect(sent).toBeLessThan(70)
  expect(kept.length).toBe(0)
})
