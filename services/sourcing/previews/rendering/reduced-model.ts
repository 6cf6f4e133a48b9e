import { Document, type Document as GltfDocument, WebIO } from '@gltf-transform/core'
import { EXTMeshoptCompression, KHRMeshQuantization } from '@gltf-transform/extensions'
import { MeshoptEncoder, MeshoptSimplifier } from 'meshoptimizer'
import { joined, type Measured } from './measure.ts'
import type { Mesh, Model } from './model.ts'
import { CREASE_COSINE, DEFAULT_COLOR } from './picture.ts'
import { dotAt, lengthAt, normalsOf } from './topology.ts'

const MODEL_MAX_BYTES = 2 * 1024 * 1024
/** What usually fits into the size. */
const FIRST_TRIANGLES = 300_000
const ATTEMPTS = 8
/** Of the diagonal: a model of more triangles than fit is simplified further than this. */
const FINE_ERROR = 0.002
const MAX_COLORS = 32
/** The largest of a signed number of sixteen bits, which stands for one. */
const POSITION_STEPS = 32_767

/** A GLB of at most two megabytes, in metres with y up, as glTF says; undefined if even a coarse one is larger. */
export async function reducedModel({ shapes, box }: Measured, up: Model['up']): Promise<Uint8Array | undefined> {
  await Promise.all([MeshoptEncoder.ready, MeshoptSimplifier.ready])
  const groups = byColor(
    shapes.map(({ mesh, topology }) => ({
      positions: topology.positions,
      indices: topology.indices,
      ...(mesh.color && { color: mesh.color }),
    })),
  )
  const total = groups.reduce((sum, { indices }) => sum + indices.length / 3, 0)
  const size = Math.max(...[0, 1, 2].map((axis) => (box.high[axis] as number) - (box.low[axis] as number)))
  const center = [0, 1, 2].map((axis) => ((box.high[axis] as number) + (box.low[axis] as number)) / 2)
  const grid: Grid = { center: center as [number, number, number], half: size / 2 || 1 }
  let target = Math.min(total, FIRST_TRIANGLES)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const simpler = groups.map((group) => simplified(group, target / total, grid))
    const content = await encoded(simpler, grid, up)
    if (content.length <= MODEL_MAX_BYTES) return content
    const left = simpler.reduce((sum, { indices }) => sum + indices.length / 3, 0)
    target = Math.floor(Math.min(left, target) * Math.min(0.7, (0.9 * MODEL_MAX_BYTES) / content.length))
  }
  return undefined
}

interface Grid {
  center: [number, number, number]
  half: number
}

function byColor(meshes: Mesh[]): Mesh[] {
  const groups = Map.groupBy(meshes, ({ color }) => (color ?? DEFAULT_COLOR).join())
  return groups.size <= MAX_COLORS ? [...groups.values()].map(joined) : [joined(meshes)]
}

function simplified(mesh: Mesh, ratio: number, { center, half }: Grid): Mesh {
  if (ratio >= 1) return mesh
  const { indices } = mesh
  const positions = Float32Array.from(mesh.positions, (value, at) => (value - (center[at % 3] as number)) / half)
  const target = Math.max(12, Math.floor((indices.length * ratio) / 3) * 3)
  const simplify = (error: number) => MeshoptSimplifier.simplify(indices, positions, 3, target, error, ['Prune'])[0]
  const fine = simplify(FINE_ERROR)
  if (fine.length <= target * 1.2) return { ...mesh, indices: fine }
  const coarse = simplify(1)
  if (coarse.length <= target * 1.2) return { ...mesh, indices: coarse }
  // Triangles without a common edge collapse only where the shape may change.
  return { ...mesh, indices: MeshoptSimplifier.simplifySloppy(indices, positions, 3, null, target, 1)[0] }
}

async function encoded(meshes: readonly Mesh[], grid: Grid, up: Model['up']): Promise<Uint8Array> {
  const document = new Document()
  document.createExtension(KHRMeshQuantization).setRequired(true)
  document
    .createExtension(EXTMeshoptCompression)
    .setRequired(true)
    .setEncoderOptions({ method: EXTMeshoptCompression.EncoderMethod.QUANTIZE })
  const buffer = document.createBuffer()
  const shape = document.createMesh()
  for (const mesh of meshes) {
    if (mesh.indices.length > 0) shape.addPrimitive(primitiveOf(document, buffer, mesh, grid))
  }
  const metres = grid.half / 1000
  const [x, y, z] = grid.center.map((value) => value / 1000) as [number, number, number]
  const node = document.createNode().setMesh(shape).setScale([metres, metres, metres])
  if (up === 'Z') node.setRotation([-Math.SQRT1_2, 0, 0, Math.SQRT1_2]).setTranslation([x, z, -y])
  else node.setTranslation([x, y, z])
  document.getRoot().setDefaultScene(document.createScene().addChild(node))
  return new WebIO()
    .registerExtensions([EXTMeshoptCompression, KHRMeshQuantization])
    .registerDependencies({ 'meshopt.encoder': MeshoptEncoder })
    .writeBinary(document)
}

function primitiveOf(
  document: GltfDocument,
  buffer: ReturnType<GltfDocument['createBuffer']>,
  mesh: Mesh,
  { center, half }: Grid,
) {
  const { points, normals, indices } = withNormals(mesh)
  const positions = Int16Array.from(points, (value, at) =>
    Math.round(((value - (center[at % 3] as number)) / half) * POSITION_STEPS),
  )
  const [remap, count] = MeshoptEncoder.reorderMesh(indices, true, true)
  const attribute = (values: Int16Array | Int8Array) => {
    const ordered = new (values.constructor as Int16ArrayConstructor)(count * 3)
    for (const [from, to] of remap.entries()) {
      if (to < count) ordered.set(values.subarray(from * 3, from * 3 + 3), to * 3)
    }
    return document.createAccessor().setType('VEC3').setArray(ordered).setNormalized(true).setBuffer(buffer)
  }
  const [red, green, blue] = mesh.color ?? DEFAULT_COLOR
  const material = document
    .createMaterial()
    .setBaseColorFactor([red, green, blue, 1])
    .setMetallicFactor(0.1)
    .setRoughnessFactor(0.7)
    .setDoubleSided(true)
  return document
    .createPrimitive()
    .setAttribute('POSITION', attribute(positions))
    .setAttribute('NORMAL', attribute(normals))
    .setIndices(document.createAccessor().setType('SCALAR').setArray(indices).setBuffer(buffer))
    .setMaterial(material)
}

/** A vertex for each smooth surface at a point: its normal is the sum of those of triangles within the crease. */
function withNormals({ positions, indices }: Mesh) {
  const flat = normalsOf(positions, indices)
  const { starts, corners } = cornersByVertex(indices, positions.length / 3)
  const points = new Float64Array(indices.length * 3)
  const sums = new Float64Array(indices.length * 3)
  const target = new Uint32Array(indices.length)
  let count = 0
  for (let vertex = 0; vertex * 3 < positions.length; vertex++) {
    const first = count
    for (let at = starts[vertex] as number; at < (starts[vertex + 1] as number); at++) {
      const corner = corners[at] as number
      const triangle = corner - (corner % 3)
      const length = CREASE_COSINE * lengthAt(flat, triangle)
      let surface = first
      while (surface < count && dotAt(sums, surface * 3, flat, triangle) < length * lengthAt(sums, surface * 3)) {
        surface += 1
      }
      if (surface === count) {
        points.set(positions.subarray(vertex * 3, vertex * 3 + 3), count * 3)
        count += 1
      }
      for (let axis = 0; axis < 3; axis++) {
        sums[surface * 3 + axis] = (sums[surface * 3 + axis] as number) + (flat[triangle + axis] as number)
      }
      target[corner] = surface
    }
  }
  const normals = new Int8Array(count * 3)
  for (let at = 0; at < normals.length; at++) {
    normals[at] = Math.round((127 * (sums[at] as number)) / (lengthAt(sums, at - (at % 3)) || 1))
  }
  return { points: points.subarray(0, count * 3), normals, indices: target }
}

/** The corners at each vertex, from its start to that of the next one. */
function cornersByVertex(indices: Uint32Array, vertices: number) {
  const starts = new Uint32Array(vertices + 1)
  for (const vertex of indices) starts[vertex + 1] = (starts[vertex + 1] as number) + 1
  for (let vertex = 0; vertex < vertices; vertex++) {
    starts[vertex + 1] = (starts[vertex + 1] as number) + (starts[vertex] as number)
  }
  const next = starts.slice()
  const corners = new Uint32Array(indices.length)
  for (const [corner, vertex] of indices.entries()) {
    const at = next[vertex] as number
    corners[at] = corner
    next[vertex] = at + 1
  }
  return { starts, corners }
}
