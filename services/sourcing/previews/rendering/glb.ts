import { type Document, type GLTF, type mat4, type Node, type Primitive, WebIO } from '@gltf-transform/core'
import { EXTMeshoptCompression, KHRMeshQuantization } from '@gltf-transform/extensions'
import { MeshoptDecoder } from 'meshoptimizer'
import { type Color, type Mesh, type Model, Numbers } from './model.ts'
import { RenderingError } from './rendering-error.ts'
import { MILLIMETRES } from './units.ts'

const JSON_CHUNK = 0x4e4f534a
const BINARY_CHUNK = 0x004e4942
const MAX_JSON_BYTES = 64 * 1024 * 1024
const MAX_DECODED_BYTES = 1024 * 1024 * 1024
const MAX_NODES = 100_000
const TRIANGLE_MODES: readonly number[] = [4, 5, 6]

/** The triangles of the scene that the file shows. */
export async function readGlb(file: Uint8Array, maxTriangles: number): Promise<Model> {
  const { json, binary } = chunksOf(file)
  const reduced = onlyShapes(json)
  await MeshoptDecoder.ready
  const io = new WebIO()
    .registerExtensions([EXTMeshoptCompression, KHRMeshQuantization])
    .registerDependencies({ 'meshopt.decoder': MeshoptDecoder })
  const document = await io.readJSON({ json: reduced, resources: { '@glb.bin': binary } })
  const nodes = nodesOf(document)
  const triangles = nodes
    .flatMap((node) => node.getMesh()?.listPrimitives() ?? [])
    .reduce((sum, primitive) => sum + cornersOf(primitive) / 3, 0)
  if (triangles > maxTriangles) throw new RenderingError('TOO_COMPLEX')
  const meshes = nodes.flatMap((node) => {
    const matrix = node.getWorldMatrix()
    return (node.getMesh()?.listPrimitives() ?? []).flatMap((primitive) => meshOf(primitive, matrix) ?? [])
  })
  return { unit: 'm', up: 'Y', separateSolids: false, meshes }
}

function chunksOf(file: Uint8Array): { json: GLTF.IGLTF; binary: Uint8Array<ArrayBuffer> } {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  let json: GLTF.IGLTF | undefined
  let binary = new Uint8Array()
  for (let at = 12; at + 8 <= file.length; ) {
    const length = view.getUint32(at, true)
    const chunk = file.subarray(at + 8, at + 8 + length)
    const type = view.getUint32(at + 4, true)
    if (type === JSON_CHUNK && !json) {
      if (length > MAX_JSON_BYTES) throw new RenderingError('TOO_COMPLEX')
      json = JSON.parse(new TextDecoder().decode(chunk))
    }
    if (type === BINARY_CHUNK) binary = new Uint8Array(chunk)
    at += 8 + length
  }
  if (!json || typeof json !== 'object') throw new RenderingError('INVALID')
  return { json, binary }
}

/** The same file without textures, skins, animations and attributes other than positions. */
function onlyShapes(json: GLTF.IGLTF): GLTF.IGLTF {
  const { asset, scene, scenes, nodes = [], meshes = [], accessors = [], bufferViews = [], buffers } = json
  requireTree(nodes)
  const bytes = [
    ...accessors.map(({ count, type }) => count * (type === 'SCALAR' ? 1 : 3) * 4),
    ...bufferViews.map(({ extensions, byteLength }) => {
      const { EXT_meshopt_compression: compressed } = (extensions ?? {}) as {
        EXT_meshopt_compression?: { count: number; byteStride: number }
      }
      return compressed ? compressed.count * compressed.byteStride : byteLength
    }),
  ]
  if (!(bytes.reduce((sum, value) => sum + value, 0) <= MAX_DECODED_BYTES)) throw new RenderingError('TOO_COMPLEX')
  const read = new Set(
    meshes.flatMap(({ primitives }) => primitives.flatMap(({ attributes, indices }) => [attributes.POSITION, indices])),
  )
  const used = { EXT_meshopt_compression: 1, KHR_mesh_quantization: 1 } as Record<string, number>
  return {
    asset,
    ...(scene !== undefined && { scene }),
    scenes: (scenes ?? []).map(({ nodes: roots }) => ({ ...(roots && { nodes: roots }) })),
    nodes: nodes.map(({ mesh, children, matrix, translation, rotation, scale }) => ({
      ...(mesh !== undefined && { mesh }),
      ...(children && { children }),
      ...(matrix && { matrix }),
      ...(translation && { translation }),
      ...(rotation && { rotation }),
      ...(scale && { scale }),
    })),
    meshes: meshes.map(({ primitives }) => ({
      primitives: primitives
        .filter(({ mode = 4, attributes }) => TRIANGLE_MODES.includes(mode) && attributes.POSITION !== undefined)
        .map(({ mode, indices, attributes, material }) => ({
          attributes: { POSITION: attributes.POSITION as number },
          ...(mode !== undefined && { mode }),
          ...(indices !== undefined && { indices }),
          ...(material !== undefined && { material }),
        })),
    })),
    materials: (json.materials ?? []).map(({ pbrMetallicRoughness }) => ({
      pbrMetallicRoughness: {
        ...(pbrMetallicRoughness?.baseColorFactor && { baseColorFactor: pbrMetallicRoughness.baseColorFactor }),
      },
    })),
    // Others keep their place, and are not read.
    accessors: accessors.map((accessor, at) =>
      read.has(at) ? accessor : { count: 1, type: 'SCALAR' as const, componentType: 5126 as const },
    ),
    bufferViews,
    ...(buffers && { buffers }),
    extensionsUsed: (json.extensionsUsed ?? []).filter((name) => used[name]),
    extensionsRequired: (json.extensionsRequired ?? []).filter(
      (name) => used[name] || name === 'KHR_draco_mesh_compression',
    ),
  }
}

/** A node of two parents, or its own ancestor, is forbidden by the format and would never end. */
function requireTree(nodes: readonly GLTF.INode[]): void {
  if (nodes.length > MAX_NODES) throw new RenderingError('TOO_COMPLEX')
  const parents = new Map<number, number>()
  for (const [parent, { children = [] }] of nodes.entries()) {
    for (const child of children) {
      if (parents.has(child)) throw new RenderingError('INVALID')
      parents.set(child, parent)
    }
  }
  const rooted = new Set<number>()
  const queue = nodes.flatMap((_, at) => (parents.has(at) ? [] : [at]))
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    rooted.add(at)
    queue.push(...(nodes[at]?.children ?? []))
  }
  if (rooted.size !== nodes.length) throw new RenderingError('INVALID')
}

function nodesOf(document: Document): Node[] {
  const root = document.getRoot()
  const found: Node[] = []
  const scene = root.getDefaultScene() ?? root.listScenes()[0]
  scene?.traverse((node) => found.push(node))
  return found
}

const cornersOf = (primitive: Primitive) => {
  const count = (primitive.getIndices() ?? primitive.getAttribute('POSITION'))?.getCount() ?? 0
  return primitive.getMode() === 4 ? count : Math.max(0, count - 2) * 3
}

function meshOf(primitive: Primitive, matrix: mat4): Mesh | undefined {
  const points = primitive.getAttribute('POSITION')
  if (!points) return undefined
  const scale = MILLIMETRES.m as number
  const positions = new Float64Array(points.getCount() * 3)
  const [x, y, z] = [0, 1, 2] as const
  const element = [0, 0, 0]
  for (let at = 0; at < positions.length; at += 3) {
    points.getElement(at / 3, element)
    for (const axis of [x, y, z]) {
      const sum = element.reduce((total, value, step) => total + value * (matrix[step * 4 + axis] as number), 0)
      positions[at + axis] = (sum + (matrix[12 + axis] as number)) * scale
    }
  }
  const [red = 1, green = 1, blue = 1] = primitive.getMaterial()?.getBaseColorFactor() ?? []
  const color: Color | undefined = primitive.getMaterial() ? [red, green, blue] : undefined
  return { positions, indices: indicesOf(primitive, positions.length / 3), ...(color && { color }) }
}

function indicesOf(primitive: Primitive, count: number): Uint32Array {
  const accessor = primitive.getIndices()
  const listed = Uint32Array.from(accessor?.getArray() ?? Array.from({ length: count }, (_, at) => at))
  if (listed.some((index) => index >= count)) throw new RenderingError('INVALID')
  if (primitive.getMode() === 4) return listed.subarray(0, listed.length - (listed.length % 3))
  const indices = new Numbers()
  for (let at = 2; at < listed.length; at++) {
    const isFan = primitive.getMode() === 6
    const isOdd = at % 2 === 1 && !isFan
    const corners = [isFan ? listed[0] : listed[at - 2], listed[isOdd ? at : at - 1], listed[isOdd ? at - 1 : at]]
    for (const corner of corners) indices.push(corner as number)
  }
  return indices.finish()
}
