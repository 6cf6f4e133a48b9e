import { describe, expect, test } from 'bun:test'
import {
  binaryStl,
  boxMesh,
  glb,
  model3mf,
  obj,
  object3mf,
  packageOf,
  textStl,
} from '../../../testing/models/meshes.ts'
import { rendered } from '../../../testing/models/rendered.ts'
import { stepCube } from '../../../testing/models/step.ts'

const box = boxMesh([0, 0, 0], [10, 10, 10])

test('a file of as many bytes as allowed is read, of one more is not', async () => {
  const file = binaryStl(box)
  expect((await rendered(file, { maxBytes: file.length })).state).toBe('READY')
  expect(await rendered(file, { maxBytes: file.length - 1 })).toEqual({ state: 'FAILED', reason: 'TOO_LARGE' })
})

test.each([
  ['STEP', stepCube(10)],
  ['binary STL', binaryStl(box)],
  ['text STL', textStl(box)],
  ['OBJ', obj(box)],
  ['3MF', packageOf(model3mf(object3mf(1, box), '<item objectid="1"/>'))],
  ['GLB', await glb(box)],
])('%s: twelve triangles are read where twelve are allowed, and not where eleven are', async (_, file) => {
  expect((await rendered(file, { maxTriangles: 12 })).state).toBe('READY')
  expect(await rendered(file, { maxTriangles: 11 })).toEqual({ state: 'FAILED', reason: 'TOO_COMPLEX' })
})

test('a binary STL that claims a billion triangles is no STL', async () => {
  const file = binaryStl(box)
  new DataView(file.buffer).setUint32(80, 1_000_000_000, true)
  expect(await rendered(file)).toEqual({ state: 'UNSUPPORTED' })
})

test('an OBJ of 5,000,001 triangles in polygons: TOO_COMPLEX', async () => {
  const fan = `f ${'1 2 3 '.repeat(33_334)}\n`
  const file = `v 0 0 0\nv 1 0 0\nv 0 1 0\n${fan.repeat(51)}`
  expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'TOO_COMPLEX' })
})

describe('bombs', () => {
  /** Each object lists the one before ten times. */
  const nested = (depth: number, first: string) =>
    Array.from({ length: depth }, (_, at) => {
      const component = `<component objectid="${at + 1}"/>`
      return `<object id="${at + 2}"><components>${component.repeat(10)}</components></object>`
    }).reduce((all, object) => all + object, first)

  test('3MF: ten billion instances of a box: TOO_COMPLEX', async () => {
    const file = packageOf(model3mf(nested(10, object3mf(1, box)), '<item objectid="11"/>'))
    expect(file.length).toBeLessThan(5000)
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'TOO_COMPLEX' })
  })

  test('3MF: ten billion instances of nothing end at once', async () => {
    const nothing = '<object id="1"><mesh><vertices/><triangles/></mesh></object>'
    const file = packageOf(model3mf(nested(10, nothing), '<item objectid="11"/>'))
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })

  test('3MF: entities that contain entities are unknown', async () => {
    const entities = '<!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    const model = model3mf(object3mf(1, box), '<item objectid="1"/>').replace('?>', `?>${entities}`)
    const file = packageOf(model.replace('<build>', '<build>&b;'))
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })

  test('GLB: an accessor of a billion points without bytes: TOO_COMPLEX', async () => {
    const file = Buffer.from(await glb(box))
    const text = file.toString('latin1').replace(/"count":8/, '"count":1e9')
    const grown = Buffer.from(text.replace(/("generator":"glTF-Transform v\d+\.\d+\.\d+)../, '$1'), 'latin1')
    expect((await rendered(grown.subarray(0, file.length))).state).toBe('FAILED')
  })

  test('GLB: a node that is its own ancestor: INVALID', async () => {
    const json = Buffer.from(
      JSON.stringify({
        asset: { version: '2.0' },
        nodes: [{ children: [1] }, { children: [0] }],
        scenes: [{ nodes: [0] }],
        scene: 0,
        meshes: [],
      }),
    )
    const padded = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, ' ')])
    const header = Buffer.alloc(20)
    header.write('glTF')
    for (const [at, value] of [2, 20 + padded.length, padded.length, 0x4e4f534a].entries())
      header.writeUInt32LE(value, 4 + at * 4)
    expect(await rendered(Buffer.concat([header, padded]))).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })
})
