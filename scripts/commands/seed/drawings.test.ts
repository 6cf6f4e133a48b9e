import { expect, test } from 'bun:test'
import { sniff } from '../../../services/sourcing/files/storage/sniff.ts'
import { measured } from '../../../services/testing/models/rendered.ts'
import { drawingSheet, hubModel } from './drawings.ts'

const extent = { x: 120, y: 80.5, z: 45 }

test('the model: a closed binary STL that fills the bounding box, the same on every run', async () => {
  const bytes = hubModel('Impeller', extent)
  expect(await sniff(bytes, bytes.byteLength)).toBe('model/stl')
  const view = new DataView(bytes.buffer)
  const largest = [0, 0, 0]
  for (let triangle = 0; triangle < view.getUint32(80, true); triangle++) {
    for (let at = 0; at < 9; at++) {
      const value = view.getFloat32(84 + triangle * 50 + 12 + at * 4, true)
      largest[at % 3] = Math.max(largest[at % 3] ?? 0, value)
    }
  }
  expect(largest).toEqual([120, 80.5, 45])
  expect((await measured(bytes)).watertight).toBe(true)
  expect(hubModel('Impeller', extent)).toEqual(bytes)
})

test('the drawing: a PDF with a correct cross-reference table', async () => {
  const bytes = drawingSheet('Impeller (closed)', 'SKP-1', extent)
  expect(await sniff(bytes, bytes.byteLength)).toBe('application/pdf')
  const text = new TextDecoder().decode(bytes)
  const start = Number(/startxref\n(\d+)/.exec(text)?.[1])
  expect(text.slice(start)).toStartWith('xref')
  const offsets = [...text.slice(start).matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset))
  for (const [index, offset] of offsets.entries()) expect(text.slice(offset)).toStartWith(`${index + 1} 0 obj`)
  expect(text).toContain('(Impeller \\(closed\\))')
})
