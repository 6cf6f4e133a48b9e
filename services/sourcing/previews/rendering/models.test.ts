import { describe, expect, test } from 'bun:test'
import {
  binaryStl,
  boxMesh,
  glb,
  igesCube,
  model3mf,
  obj,
  object3mf,
  packageOf,
  textStl,
} from '../../../testing/models/meshes.ts'
import { measured, rendered } from '../../../testing/models/rendered.ts'
import { StepWriter, stepCube } from '../../../testing/models/step.ts'
import type { Geometry } from './render.ts'

const box = boxMesh([5, 5, 5], [15, 25, 35])

/** Within 0.1 %. */
function expectAbout(geometry: Geometry, { x, y, z, volume, surfaceArea }: Record<string, number>) {
  const { boundingBox } = geometry
  const pairs = [
    [boundingBox.x, x],
    [boundingBox.y, y],
    [boundingBox.z, z],
    [geometry.volume, volume],
    [geometry.surfaceArea, surfaceArea],
  ] as [number, number][]
  for (const [value, wanted] of pairs) expect(Math.abs(value / wanted - 1)).toBeLessThan(0.001)
}
const BOX = { x: 10, y: 20, z: 30, volume: 6000, surfaceArea: 2200 }

describe('STEP', () => {
  test.each([
    ['mm', stepCube(10), 10],
    ['inch', stepCube(2, 'inch'), 50.8],
    ['m', stepCube(0.1, 'm'), 100],
  ])('a cube in %s: measured in mm, with the unit as read', async (unit, file, side) => {
    const geometry = await measured(file)
    expectAbout(geometry, { x: side, y: side, z: side, volume: side ** 3, surfaceArea: 6 * side ** 2 })
    expect(geometry).toMatchObject({ unit, bodies: 1, triangles: 12, watertight: true })
  })

  test('a cut cone: within 0.1 % of its volume', async () => {
    const step = new StepWriter()
    step.product([step.frustum([0, 0, 0], 10, 4, 12)])
    const surfaceArea = Math.PI * (100 + 16 + 14 * Math.hypot(6, 12))
    const geometry = await measured(step.toBytes())
    expectAbout(geometry, { x: 20, y: 20, z: 12, volume: Math.PI * 4 * (100 + 40 + 16), surfaceArea })
    expect(geometry).toMatchObject({ bodies: 1, watertight: true })
  })

  test('an assembly: each product as often and where it is placed', async () => {
    const step = new StepWriter()
    const cube = step.product([step.box([0, 0, 0], [10, 10, 10])])
    const pin = step.product([step.frustum([0, 0, 0], 3, 3, 20)])
    const inner = step.product([])
    step.place(inner, cube, [0, 0, 0], 'first')
    step.place(inner, cube, [30, 0, 0], 'second')
    const assembly = step.product([])
    step.place(assembly, inner, [0, 100, 0], 'both')
    step.place(assembly, pin, [20, 0, 0], 'pin')
    const geometry = await measured(step.toBytes())
    const surfaceArea = 1200 + Math.PI * (2 * 9 + 6 * 20)
    expectAbout(geometry, { x: 40, y: 113, z: 20, volume: 2000 + Math.PI * 9 * 20, surfaceArea })
    expect(geometry.bodies).toBe(3)
  })

  test('two solids that touch are two bodies', async () => {
    const step = new StepWriter()
    step.product([step.box([0, 0, 0], [10, 10, 10]), step.box([10, 0, 0], [20, 10, 10])])
    expect(await measured(step.toBytes())).toMatchObject({ bodies: 2, volume: expect.closeTo(2000, 3) })
  })

  test.each([
    ['truncated', stepCube(10).subarray(0, 1500)],
    ['without a shape', 'ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n'],
    ['noise', `ISO-10303-21;\n${'#1=('.repeat(10_000)}`],
    ['with references to nothing', new StepWriter().toString().replaceAll(/#\d/g, '#9')],
  ])('%s: INVALID', async (_, file) => {
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })
})

test.each([
  [2, 'MM', 10, 'mm', 10],
  [1, 'IN', 2, 'inch', 50.8],
  [6, 'M', 0.5, 'm', 500],
])('IGES with unit %p: faces that meet are one body', async (flag, name, length, unit, side) => {
  const geometry = await measured(igesCube(length, flag, name))
  expectAbout(geometry, { x: side, y: side, z: side, volume: side ** 3, surfaceArea: 6 * side ** 2 })
  expect(geometry).toMatchObject({ unit, bodies: 1, watertight: true })
})

test.each([
  ['binary STL', binaryStl(box), 'unknown'],
  ['text STL', textStl(box), 'unknown'],
  ['binary STL whose header says solid', binaryStl(box).with(0, 0x73).with(1, 0x6f).with(2, 0x6c), 'unknown'],
  ['OBJ', obj(box), 'unknown'],
  ['GLB', await glb(box, 0.001), 'm'],
  ['3MF', packageOf(model3mf(object3mf(1, box), '<item objectid="1"/>')), 'mm'],
])('a box as %s', async (_, file, unit) => {
  const geometry = await measured(file)
  expectAbout(geometry, BOX)
  expect(geometry).toMatchObject({ unit, bodies: 1, triangles: 12, watertight: true })
})

test('OBJ: polygons, indices from the end, and indices of other kinds after a slash', async () => {
  const points = 'v 0 0 0\nv 10 0 0\nv 10 10 0\nv 0 10 0\nv 0 0 10\nv 10 0 10\nv 10 10 10\nv 0 10 10'
  const faces = 'f 4 3 2 1\nf -4 -3 -2 -1\nf 1/1 2/2 6/3 5/4\nf 2//1 3//1 7//1 6//1\nf 3 4 8 7\nf 4 1 5 8'
  expect(await measured(`# cube\n\no cube\n${points}\n${faces}\n`)).toMatchObject({
    ...{ volume: expect.closeTo(1000, 6), triangles: 12, watertight: true },
  })
})

describe('3MF', () => {
  test('components and items: each instance where it is placed, in the unit of the model', async () => {
    const pair = '<component objectid="1"/><component objectid="1" transform="1 0 0 0 1 0 0 0 1 100 0 0"/>'
    const resources = `${object3mf(1, box)}<object id="2"><components>${pair}</components></object>`
    const file = packageOf(model3mf(resources, '<item objectid="2" transform="2 0 0 0 1 0 0 0 1 0 0 0"/>', 'inch'))
    const geometry = await measured(file)
    expect(geometry.boundingBox).toEqual({
      ...{ x: expect.closeTo(220 * 25.4, 6), y: expect.closeTo(20 * 25.4, 6), z: expect.closeTo(30 * 25.4, 6) },
    })
    expect(geometry).toMatchObject({ unit: 'inch', bodies: 2, triangles: 24 })
    expect(geometry.volume / (24_000 * 25.4 ** 3)).toBeCloseTo(1, 9)
  })

  test('a component of another part of the package', async () => {
    const other = { '3D/Objects/box.model': model3mf(object3mf(7, box), '') }
    const component = '<component p:path="/3D/Objects/box.model" objectid="7"/>'
    const file = packageOf(
      model3mf(`<object id="1"><components>${component}</components></object>`, '<item objectid="1"/>'),
      other,
    )
    expect(await measured(file)).toMatchObject({ volume: expect.closeTo(6000, 6), bodies: 1 })
  })

  test('an object that no item builds is not measured', async () => {
    const file = packageOf(model3mf(object3mf(1, box) + object3mf(2, box), '<item objectid="2"/>'))
    expect(await measured(file)).toMatchObject({ bodies: 1 })
  })

  test.each([
    ['a component of itself', '<object id="1"><components><component objectid="1"/></components></object>'],
    ['a reference to nothing', '<object id="1"><components><component objectid="9"/></components></object>'],
    ['a triangle without its vertex', object3mf(1, { points: [[0, 0, 0]], triangles: [[0, 1, 2]] })],
    ['a broken document', '<object id="1"><mesh>'],
    ['no number', object3mf(1, box).replace('x="5"', 'x="five"')],
  ])('%s: INVALID', async (_, resources) => {
    const file = packageOf(model3mf(resources, '<item objectid="1"/>'))
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })
})

test('a cavity is no body and reduces the volume', async () => {
  const cavity = boxMesh([6, 6, 6], [14, 14, 14], { insideOut: true })
  expect(await measured(binaryStl(box, cavity))).toMatchObject({ bodies: 1, volume: expect.closeTo(6000 - 512, 3) })
})

test('two boxes apart are two bodies', async () => {
  expect(await measured(binaryStl(box, boxMesh([50, 0, 0], [60, 10, 10])))).toMatchObject({ bodies: 2 })
})

test('a mesh with a hole is not watertight', async () => {
  const open = { ...box, triangles: box.triangles.slice(1) }
  expect(await measured(binaryStl(open))).toMatchObject({ watertight: false, triangles: 11, bodies: 1 })
})

test('a mesh that is turned inside out has the same volume', async () => {
  const file = binaryStl(boxMesh([0, 0, 0], [10, 10, 10], { insideOut: true }))
  expect(await measured(file)).toMatchObject({ volume: expect.closeTo(1000, 6), bodies: 1 })
})

test.each([
  ['STL without a number', new TextDecoder().decode(textStl(box)).replace(/vertex \S+/, 'vertex five')],
  ['STL of two corners', 'solid x\n facet normal 0 0 0\n vertex 1 0 0\n vertex 0 1 0\nendsolid\n'],
  ['OBJ whose face names no vertex', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n'],
  ['OBJ without a face', 'v 0 0 0\nv 1 0 0\n'],
  ['OBJ beyond all measure', 'v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nf 1 2 3\n'],
  ['GLB that ends early', (await glb(box)).subarray(0, 200)],
])('%s: INVALID', async (_, file) => {
  expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
})
