import { describe, expect, test } from 'bun:test'
import { inflateSync } from 'node:zlib'
import { binaryStl, boxMesh, gridMesh } from '../../../testing/models/meshes.ts'
import { ready } from '../../../testing/models/rendered.ts'
import { stepCube } from '../../../testing/models/step.ts'
import { readGlb } from './glb.ts'
import { measure } from './measure.ts'
import { sizeOfPng } from './png.ts'
import type { Preview } from './render.ts'

const previewOf = (previews: readonly Preview[], kind: Preview['kind']) => {
  const found = previews.find((preview) => preview.kind === kind)
  if (!found) throw new Error(`no ${kind}`)
  return found
}

/** Red, green, blue and alpha of a pixel of a PNG whose rows have no filter. */
function pixelsOf(content: Uint8Array) {
  const { width = 0 } = sizeOfPng(content) ?? {}
  const start = Buffer.from(content).indexOf('IDAT') + 4
  const rows = inflateSync(content.subarray(start))
  return (x: number, y: number) => [...rows.subarray(y * (width * 4 + 1) + 1 + x * 4).subarray(0, 4)]
}

describe('the picture of a model', () => {
  test('512 × 512: faces with dark edges on a transparent ground', async () => {
    const { previews } = await ready(stepCube(10))
    const image = previewOf(previews, 'IMAGE')
    expect(image).toMatchObject({ contentType: 'image/png', width: 512, height: 512 })
    const at = pixelsOf(image.content)
    expect(at(2, 2)[3]).toBe(0)
    expect(at(509, 509)[3]).toBe(0)
    const faces = [at(256, 130), at(150, 330), at(360, 330)]
    for (const face of faces) expect(face[3]).toBe(255)
    // Three sides of a cube are lit differently, none as dark as an edge or as light as paper.
    expect(new Set(faces.map(([red]) => red)).size).toBe(3)
    for (const [red = 0] of faces) expect([red > 70, red < 240]).toEqual([true, true])
    // The corner in front.
    expect(at(256, 256)[0]).toBeLessThan(60)
  })

  test('a hidden body is not seen', async () => {
    const whole = boxMesh([0, 0, 0], [10, 10, 10])
    const alone = previewOf((await ready(binaryStl(whole))).previews, 'IMAGE')
    const around = previewOf((await ready(binaryStl(whole, boxMesh([3, 3, 3], [7, 7, 7])))).previews, 'IMAGE')
    expect(around.content).toEqual(alone.content)
  })
})

describe('the reduced model', () => {
  test('has the same box and volume, in metres with y up', async () => {
    const { previews } = await ready(binaryStl(boxMesh([0, 0, 0], [10, 20, 30])))
    const model = previewOf(previews, 'MODEL')
    expect(model.contentType).toBe('model/gltf-binary')
    const { geometry } = measure(await readGlb(model.content, 1000), 1000)
    expect(geometry.boundingBox).toEqual({
      x: expect.closeTo(10, 2),
      y: expect.closeTo(30, 2),
      z: expect.closeTo(20, 2),
    })
    expect(geometry).toMatchObject({ triangles: 12, watertight: true, unit: 'm' })
    expect(Math.abs(geometry.volume - 6000)).toBeLessThan(6)
  })

  test('is compressed by meshopt and quantized', async () => {
    const { content } = previewOf((await ready(binaryStl(gridMesh(40)))).previews, 'MODEL')
    const length = new DataView(content.buffer, content.byteOffset).getUint32(12, true)
    const json = JSON.parse(new TextDecoder().decode(content.subarray(20, 20 + length)))
    expect(json.extensionsRequired.toSorted()).toEqual(['EXT_meshopt_compression', 'KHR_mesh_quantization'])
    expect(content.length).toBeLessThan(3200 * 50)
  })

  test('400,000 triangles without order: simplified until it has two megabytes, and nearly as large', async () => {
    const grid = gridMesh(450)
    // Noise, which no plane replaces.
    const points = grid.points.map(([x = 0, y = 0], at) => [x, y, ((at * 2_654_435_761) % 1000) / 100])
    const { geometry, previews } = await ready(binaryStl({ ...grid, points }))
    expect(geometry?.triangles).toBe(405_000)
    const { content } = previewOf(previews, 'MODEL')
    expect(content.length).toBeLessThanOrEqual(2 * 1024 * 1024)
    const reduced = measure(await readGlb(content, 1_000_000), 1_000_000).geometry
    expect(reduced.triangles).toBeGreaterThan(20_000)
    expect(Math.abs(reduced.boundingBox.x / 450 - 1)).toBeLessThan(0.05)
  })
})
