import { Unzip, UnzipInflate } from 'fflate'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { type Mesh, type Model, Numbers, Points } from './model.ts'
import { RenderingError } from './rendering-error.ts'
import { MILLIMETRES } from './units.ts'

/** All parts of the package together, inflated. */
const MAX_INFLATED_BYTES = 1024 * 1024 * 1024
/** Each step inflates to a thousand times this much at most. */
const STEP_BYTES = 16 * 1024
const MAX_FILES = 10_000
const MAX_OBJECTS = 100_000
const MAX_DEPTH = 64

const UNITS: Readonly<Record<string, string>> = {
  micron: 'um',
  millimeter: 'mm',
  centimeter: 'cm',
  inch: 'inch',
  foot: 'ft',
  meter: 'm',
}

/** Rows of a matrix of four rows and three columns, for row vectors. */
type Transform = readonly number[]
const IDENTITY: Transform = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]

interface Reference {
  object: string
  transform: Transform
}
interface ModelObject {
  points: Points
  indices: Numbers
  components: Reference[]
}
interface Package {
  unit: string
  objects: Map<string, ModelObject>
  /** What each part of the package builds. */
  builds: Map<string, Reference[]>
  root: string
}

/** Objects that the build of the package's root lists, each as often as it lists it. */
export function read3mf(file: Uint8Array, maxTriangles: number): Model {
  const { unit, objects, builds, root } = readPackage(file, maxTriangles)
  const scale = MILLIMETRES[unit] as number
  const items = builds.get(root) ?? []
  const counts = new Map<string, number>()
  const total = items.reduce((sum, { object }) => sum + countTriangles(objects, object, counts), 0)
  if (total > maxTriangles) throw new RenderingError('TOO_COMPLEX')
  const meshes: Mesh[] = []
  const place = ({ object, transform }: Reference, outer: Transform) => {
    // An object without triangles may list others by the billion.
    if (counts.get(object) === 0) return
    const combined = multiply(transform, outer)
    const { points, indices, components } = objects.get(object) as ModelObject
    if (indices.length > 0) meshes.push(placed(points, indices, combined, scale))
    for (const component of components) place(component, combined)
  }
  for (const item of items) place(item, IDENTITY)
  return { unit, up: 'Z', separateSolids: false, meshes }
}

/** Counts of all components, without placing any; a cycle is refused. */
function countTriangles(
  objects: ReadonlyMap<string, ModelObject>,
  id: string,
  counts: Map<string, number>,
  depth = 0,
): number {
  const known = counts.get(id)
  if (known !== undefined) return known
  const object = objects.get(id)
  if (!object || depth > MAX_DEPTH) throw new RenderingError('INVALID')
  const inner = object.components.reduce(
    (sum, component) => sum + countTriangles(objects, component.object, counts, depth + 1),
    0,
  )
  const count = object.indices.length / 3 + inner
  counts.set(id, count)
  return count
}

function placed(points: Points, numbers: Numbers, matrix: Transform, scale: number): Mesh {
  const indices = numbers.finish()
  const count = points.length / 3
  if (indices.some((index) => index >= count)) throw new RenderingError('INVALID')
  const [a, b, c, d, e, f, g, h, i, j, k, l] = matrix as [
    ...[number, number, number, number, number, number],
    ...[number, number, number, number, number, number],
  ]
  const positions = points.finish()
  for (let at = 0; at < positions.length; at += 3) {
    const [x, y, z] = [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number]
    positions[at] = (x * a + y * d + z * g + j) * scale
    positions[at + 1] = (x * b + y * e + z * h + k) * scale
    positions[at + 2] = (x * c + y * f + z * i + l) * scale
  }
  return { positions, indices }
}

function multiply(inner: Transform, outer: Transform): Transform {
  const value = (matrix: Transform, row: number, column: number) => matrix[row * 3 + column] as number
  return Array.from({ length: 12 }, (_, at) => {
    const [row, column] = [Math.floor(at / 3), at % 3]
    const sum = [0, 1, 2].reduce((total, step) => total + value(inner, row, step) * value(outer, step, column), 0)
    return row === 3 ? sum + value(outer, 3, column) : sum
  })
}

function readPackage(file: Uint8Array, maxTriangles: number): Package {
  const result: Package = { unit: 'mm', objects: new Map(), builds: new Map(), root: '3D/3dmodel.model' }
  let [inflated, files] = [0, 0]
  const left = { triangles: maxTriangles, points: maxTriangles * 3 }
  const unzip = new Unzip((part) => {
    files += 1
    if (files > MAX_FILES) throw new RenderingError('TOO_COMPLEX')
    const parser = parserOf(part.name.replace(/^\//, ''), result, left)
    if (!parser) return
    const decoder = new TextDecoder()
    part.ondata = (error, chunk, final) => {
      // The library catches what the lines below throw, and calls again.
      if (error) throw error instanceof RenderingError ? error : new RenderingError('INVALID')
      inflated += chunk.length
      if (inflated > MAX_INFLATED_BYTES) throw new RenderingError('TOO_COMPLEX')
      parser.write(decoder.decode(chunk, { stream: !final }))
      if (final) parser.close()
    }
    part.start()
  })
  unzip.register(UnzipInflate)
  for (let at = 0; at < file.length; at += STEP_BYTES) {
    unzip.push(file.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= file.length)
  }
  return result
}

function parserOf(name: string, result: Package, left: { triangles: number; points: number }) {
  if (name === '_rels/.rels') return relationsParser(result)
  return /^3D\/.*\.model$/i.test(name) ? modelParser(name, result, left) : undefined
}

/** No parser knows entities besides those of XML itself. */
function newParser(open: (name: string, attributes: Record<string, string>) => void): SaxesParser {
  const parser = new SaxesParser()
  parser.on('error', () => {
    throw new RenderingError('INVALID')
  })
  parser.on('opentag', (tag: SaxesTagPlain) => open(localName(tag.name), tag.attributes))
  return parser
}
const localName = (name: string) => name.slice(name.indexOf(':') + 1)

const relationsParser = (result: Package) =>
  newParser((name, { Type = '', Target = '' }) => {
    if (name === 'Relationship' && Type.endsWith('/3dmodel')) result.root = Target.replace(/^\//, '')
  })

function modelParser(path: string, result: Package, left: { triangles: number; points: number }): SaxesParser {
  let object: ModelObject | undefined
  const build: Reference[] = []
  result.builds.set(path, build)
  return newParser((name, attributes) => {
    if (name === 'vertex') {
      left.points -= 1
      if (left.points < 0) throw new RenderingError('TOO_COMPLEX')
      object?.points.push(Number(attributes.x), Number(attributes.y), Number(attributes.z))
    } else if (name === 'triangle') {
      left.triangles -= 1
      if (left.triangles < 0) throw new RenderingError('TOO_COMPLEX')
      for (const corner of [attributes.v1, attributes.v2, attributes.v3]) object?.indices.push(indexOf(corner))
    } else if (name === 'object') {
      object = { points: new Points(), indices: new Numbers(), components: [] }
      result.objects.set(`${path}#${attributes.id}`, object)
      if (result.objects.size > MAX_OBJECTS) throw new RenderingError('TOO_COMPLEX')
    } else if (name === 'component' || name === 'item') {
      const list = name === 'item' ? build : object?.components
      list?.push(referenceOf(path, attributes))
      if ((list?.length ?? 0) > MAX_OBJECTS) throw new RenderingError('TOO_COMPLEX')
    } else if (name === 'model' && path === result.root) {
      const unit = UNITS[attributes.unit ?? 'millimeter']
      if (!unit) throw new RenderingError('INVALID')
      result.unit = unit
    }
  })
}

function indexOf(text: string | undefined): number {
  const index = Number(text)
  if (!Number.isInteger(index) || index < 0 || index > 0xffffffff) throw new RenderingError('INVALID')
  return index
}

function referenceOf(path: string, attributes: Record<string, string>): Reference {
  const [, other] = Object.entries(attributes).find(([name]) => name.includes(':') && localName(name) === 'path') ?? []
  const transform = attributes.transform?.trim().split(/\s+/).map(Number) ?? IDENTITY
  if (transform.length !== 12 || !transform.every(Number.isFinite)) throw new RenderingError('INVALID')
  return { object: `${other?.replace(/^\//, '') ?? path}#${attributes.objectid}`, transform }
}
