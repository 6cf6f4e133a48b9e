import { type Box, boxOf, diagonalOf, type Mesh, type Model } from './model.ts'
import type { Geometry } from './rendering.ts'
import { RenderingError } from './rendering-error.ts'
import { isClosed, lengthAt, type Topology, topologyOf } from './topology.ts'

/** Corners within this share of the diagonal of a mesh are one vertex. */
const WELD_RATIO = 1e-6
/** A thousand kilometres: numbers beyond are no workpiece, and squares of them lose their digits. */
const MAX_COORDINATE_MM = 1e9

export interface Measured {
  geometry: Geometry
  box: Box
  shapes: Shape[]
}

export function measure(model: Model, maxTriangles: number): Measured {
  const triangles = model.meshes.reduce((sum, { indices }) => sum + indices.length / 3, 0)
  if (triangles > maxTriangles) throw new RenderingError('TOO_COMPLEX')
  if (triangles === 0 || !model.meshes.every(hasNumbers)) throw new RenderingError('INVALID')
  const box = boxOf(model.meshes)
  const shapes = model.separateSolids ? separateSolids(model.meshes) : model.meshes.map(shapeOf)
  const total = { volume: 0, surfaceArea: 0, bodies: 0, watertight: true }
  for (const { topology } of shapes) {
    if (topology.indices.length === 0) continue
    const isWatertight = isClosed(topology.edges)
    const bodies = bodiesOf(topology)
    const volume = bodies.reduce((sum, body) => sum + body, 0)
    // A cavity is turned against the body around it.
    const outer = bodies.filter((body) => Math.sign(body) === Math.sign(volume)).length
    total.volume += Math.abs(volume)
    total.surfaceArea += areaOf(topology)
    total.bodies += model.separateSolids && isWatertight ? 1 : Math.max(1, outer)
    total.watertight &&= isWatertight
  }
  const size = (axis: 0 | 1 | 2) => box.high[axis] - box.low[axis]
  const { volume, surfaceArea, bodies, watertight } = total
  return {
    geometry: {
      boundingBox: { x: size(0), y: size(1), z: size(2) },
      ...{ volume, surfaceArea, bodies, triangles, watertight, unit: model.unit },
    },
    box,
    shapes,
  }
}

function hasNumbers({ positions, indices }: Mesh): boolean {
  for (const index of indices) if (!(index * 3 < positions.length)) return false
  return positions.every((value) => Math.abs(value) <= MAX_COORDINATE_MM)
}

export interface Shape {
  mesh: Mesh
  topology: Topology
}

const shapeOf = (mesh: Mesh): Shape => ({
  mesh,
  topology: topologyOf(mesh, diagonalOf(boxOf([mesh])) * WELD_RATIO),
})

/** Solids as they are, and all open faces as one mesh, because faces of one body may be listed one by one. */
function separateSolids(meshes: readonly Mesh[]): Shape[] {
  const shapes = meshes.map(shapeOf)
  const open = shapes.filter(({ topology }) => !isClosed(topology.edges)).map(({ mesh }) => mesh)
  const solids = shapes.filter(({ topology }) => isClosed(topology.edges))
  return open.length > 0 ? [...solids, shapeOf(joined(open))] : solids
}

export function joined(meshes: readonly Mesh[]): Mesh {
  if (meshes.length === 1 && meshes[0]) return meshes[0]
  const positions = new Float64Array(meshes.reduce((sum, mesh) => sum + mesh.positions.length, 0))
  const indices = new Uint32Array(meshes.reduce((sum, mesh) => sum + mesh.indices.length, 0))
  let [vertex, corner] = [0, 0]
  for (const mesh of meshes) {
    positions.set(mesh.positions, vertex * 3)
    for (let at = 0; at < mesh.indices.length; at++) indices[corner + at] = (mesh.indices[at] as number) + vertex
    vertex += mesh.positions.length / 3
    corner += mesh.indices.length
  }
  const color = meshes[0]?.color
  return { positions, indices, ...(color && { color }) }
}

/** The signed volume of each connected component. */
function bodiesOf({ positions, indices, normals }: Topology): number[] {
  const parents = new Uint32Array(positions.length / 3).map((_, index) => index)
  const rootOf = (vertex: number) => {
    let root = vertex
    while (parents[root] !== root) {
      parents[root] = parents[parents[root] as number] as number
      root = parents[root] as number
    }
    return root
  }
  for (let at = 0; at < indices.length; at += 3) {
    const root = rootOf(indices[at] as number)
    parents[rootOf(indices[at + 1] as number)] = root
    parents[rootOf(indices[at + 2] as number)] = root
  }
  const volumes = new Float64Array(parents.length)
  // Relative to a vertex, so that a body far from the origin keeps its digits.
  const origin = (indices[0] as number) * 3
  for (let at = 0; at < indices.length; at += 3) {
    const vertex = indices[at] as number
    const x = (positions[vertex * 3] as number) - (positions[origin] as number)
    const y = (positions[vertex * 3 + 1] as number) - (positions[origin + 1] as number)
    const z = (positions[vertex * 3 + 2] as number) - (positions[origin + 2] as number)
    const signed = x * (normals[at] as number) + y * (normals[at + 1] as number) + z * (normals[at + 2] as number)
    const root = rootOf(vertex)
    volumes[root] = (volumes[root] as number) + signed / 6
  }
  const roots = new Set<number>()
  for (const index of indices) roots.add(rootOf(index))
  return Array.from(roots, (root) => volumes[root] as number)
}

function areaOf({ normals }: Topology): number {
  let area = 0
  for (let at = 0; at < normals.length; at += 3) area += lengthAt(normals, at) / 2
  return area
}
