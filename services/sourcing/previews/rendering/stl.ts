import {
  BINARY_STL_HEADER_BYTES,
  BINARY_STL_TRIANGLE_BYTES,
  trianglesOfBinaryStl,
} from '../../files/storage/binary-stl.ts'
import { type Model, Numbers, Vertices } from './model.ts'
import { RenderingError } from './rendering-error.ts'

/** The formats name no unit, and most programs write mm. */
const modelOf = (vertices: Vertices, indices: Uint32Array): Model => ({
  unit: 'unknown',
  up: 'Z',
  separateSolids: false,
  meshes: [{ positions: vertices.finish(), indices }],
})

export function readStl(file: Uint8Array, maxTriangles: number): Model {
  const triangles = trianglesOfBinaryStl(file, file.length)
  return triangles === undefined ? readText(file, maxTriangles) : readBinary(file, triangles, maxTriangles)
}

function readBinary(file: Uint8Array, triangles: number, maxTriangles: number): Model {
  if (triangles > maxTriangles) throw new RenderingError('TOO_COMPLEX')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const vertices = new Vertices()
  const indices = new Uint32Array(triangles * 3)
  for (let triangle = 0; triangle < triangles; triangle++) {
    for (let corner = 0; corner < 3; corner++) {
      const at = BINARY_STL_HEADER_BYTES + triangle * BINARY_STL_TRIANGLE_BYTES + 12 + corner * 12
      indices[triangle * 3 + corner] = vertices.add(
        view.getFloat32(at, true),
        view.getFloat32(at + 4, true),
        view.getFloat32(at + 8, true),
      )
    }
  }
  return modelOf(vertices, indices)
}

function readText(file: Uint8Array, maxTriangles: number): Model {
  const vertices = new Vertices()
  const indices = new Numbers()
  for (const line of linesOf(file)) {
    const [word, x, y, z] = line.trimStart().split(/\s+/, 4)
    if (word?.toLowerCase() !== 'vertex') continue
    indices.push(vertices.add(Number(x ?? NaN), Number(y ?? NaN), Number(z ?? NaN)))
    if (indices.length > maxTriangles * 3) throw new RenderingError('TOO_COMPLEX')
  }
  if (indices.length % 3 !== 0) throw new RenderingError('INVALID')
  return modelOf(vertices, indices.finish())
}

/** Faces of a Wavefront OBJ; corners of a polygon make a fan. */
export function readObj(file: Uint8Array, maxTriangles: number): Model {
  const vertices = new Vertices()
  const places = new Numbers()
  const indices = new Numbers()
  for (const line of linesOf(file)) {
    const text = line.trimStart()
    if (text.startsWith('v ') || text.startsWith('v\t')) {
      const [, x, y, z] = text.split(/\s+/, 4)
      places.push(vertices.add(Number(x ?? NaN), Number(y ?? NaN), Number(z ?? NaN)))
    } else if (text.startsWith('f ') || text.startsWith('f\t')) {
      const corners = text.trimEnd().split(/\s+/).slice(1)
      const found = corners.map((corner) => places.at(indexOf(corner, places.length)))
      for (let at = 2; at < found.length; at++) {
        for (const index of [found[0], found[at - 1], found[at]]) indices.push(index as number)
      }
      if (indices.length > maxTriangles * 3) throw new RenderingError('TOO_COMPLEX')
    }
  }
  return modelOf(vertices, indices.finish())
}

/** The first vertex is 1, and -1 is the last one before. */
function indexOf(corner: string, count: number): number {
  const number = Number.parseInt(corner, 10)
  const index = number < 0 ? count + number : number - 1
  if (!(index >= 0 && index < count)) throw new RenderingError('INVALID')
  return index
}

const CHUNK_BYTES = 4 * 1024 * 1024
/** A longer line is no line of these formats. */
const MAX_LINE_LENGTH = 1024 * 1024

/** Lines of a file, which is never one text in memory. */
function* linesOf(file: Uint8Array): Generator<string> {
  const decoder = new TextDecoder('latin1')
  let rest = ''
  for (let at = 0; at < file.length; at += CHUNK_BYTES) {
    const lines = (rest + decoder.decode(file.subarray(at, at + CHUNK_BYTES))).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_LENGTH) throw new RenderingError('INVALID')
    yield* lines
  }
  yield rest
}
