import type { Mesh } from './model.ts'

/** Triangles whose corners at one place are one vertex, and their edges. */
export interface Topology {
  positions: Float64Array
  /** Triangles with three different vertices. */
  indices: Uint32Array
  /** For each triangle its normal, as long as twice its area. */
  normals: Float64Array
  edges: Edges
}

/** Vertices of each edge, its first two triangles, and how many use it. */
export interface Edges {
  count: number
  from: Uint32Array
  to: Uint32Array
  first: Uint32Array
  second: Uint32Array
  uses: Uint32Array
}

export function topologyOf({ positions, indices }: Mesh, tolerance: number): Topology {
  const places = placesOf(positions, tolerance)
  const kept = new Uint32Array(indices.length)
  let length = 0
  for (let at = 0; at < indices.length; at += 3) {
    const a = places[indices[at] as number] as number
    const b = places[indices[at + 1] as number] as number
    const c = places[indices[at + 2] as number] as number
    if (a === b || b === c || c === a) continue
    kept[length] = a
    kept[length + 1] = b
    kept[length + 2] = c
    length += 3
  }
  const welded = kept.subarray(0, length)
  return { positions, indices: welded, normals: normalsOf(positions, welded), edges: edgesOf(welded) }
}

/**
 * For each vertex the first one within the tolerance. Cells of a grid are wider than the tolerance, so a vertex near no
 * border of its cell looks at no other.
 */
function placesOf(positions: Float64Array, tolerance: number): Uint32Array {
  const count = positions.length / 3
  const cell = tolerance * 16
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(count, 8) * 2))
  const mask = capacity - 1
  const heads = new Int32Array(capacity).fill(-1)
  const next = new Int32Array(count).fill(-1)
  const places = new Uint32Array(count)
  const slotOf = (x: number, y: number, z: number) => {
    const hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d)
    return (hash ^ (hash >>> 15)) & mask
  }
  const find = (slot: number, x: number, y: number, z: number) => {
    for (let other = heads[slot] as number; other >= 0; other = next[other] as number) {
      const dx = (positions[other * 3] as number) - x
      const dy = (positions[other * 3 + 1] as number) - y
      const dz = (positions[other * 3 + 2] as number) - z
      if (dx * dx + dy * dy + dz * dz <= tolerance * tolerance) return other
    }
    return -1
  }
  for (let index = 0; index < count; index++) {
    const x = positions[index * 3] as number
    const y = positions[index * 3 + 1] as number
    const z = positions[index * 3 + 2] as number
    const own = slotOf(Math.floor(x / cell), Math.floor(y / cell), Math.floor(z / cell))
    let found = -1
    const x1 = Math.floor((x + tolerance) / cell)
    const y1 = Math.floor((y + tolerance) / cell)
    const z1 = Math.floor((z + tolerance) / cell)
    for (let cx = Math.floor((x - tolerance) / cell); cx <= x1 && found < 0; cx++) {
      for (let cy = Math.floor((y - tolerance) / cell); cy <= y1 && found < 0; cy++) {
        for (let cz = Math.floor((z - tolerance) / cell); cz <= z1 && found < 0; cz++) {
          found = find(slotOf(cx, cy, cz), x, y, z)
        }
      }
    }
    if (found < 0) {
      next[index] = heads[own] as number
      heads[own] = index
    }
    places[index] = found < 0 ? index : found
  }
  return places
}

function edgesOf(indices: Uint32Array): Edges {
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(indices.length, 8) * 1.5))
  const mask = capacity - 1
  const slots = new Int32Array(capacity).fill(-1)
  const from = new Uint32Array(indices.length)
  const to = new Uint32Array(indices.length)
  const first = new Uint32Array(indices.length)
  const second = new Uint32Array(indices.length)
  const uses = new Uint32Array(indices.length)
  let count = 0
  for (let at = 0; at < indices.length; at++) {
    const start = indices[at] as number
    const end = indices[at % 3 === 2 ? at - 2 : at + 1] as number
    const a = Math.min(start, end)
    const b = Math.max(start, end)
    const hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77)
    let slot = (hash ^ (hash >>> 15)) & mask
    let edge = slots[slot] as number
    while (edge >= 0 && (from[edge] !== a || to[edge] !== b)) {
      slot = (slot + 1) & mask
      edge = slots[slot] as number
    }
    const triangle = (at - (at % 3)) / 3
    if (edge < 0) {
      edge = count
      slots[slot] = edge
      from[edge] = a
      to[edge] = b
      first[edge] = triangle
      count += 1
    } else if (uses[edge] === 1) {
      second[edge] = triangle
    }
    uses[edge] = (uses[edge] as number) + 1
  }
  return { count, from, to, first, second, uses }
}

/** For each triangle its normal, as long as twice its area. */
export function normalsOf(positions: Float64Array, indices: Uint32Array): Float64Array {
  const normals = new Float64Array(indices.length)
  for (let at = 0; at < indices.length; at += 3) {
    const a = (indices[at] as number) * 3
    const b = (indices[at + 1] as number) * 3
    const c = (indices[at + 2] as number) * 3
    const ux = (positions[b] as number) - (positions[a] as number)
    const uy = (positions[b + 1] as number) - (positions[a + 1] as number)
    const uz = (positions[b + 2] as number) - (positions[a + 2] as number)
    const vx = (positions[c] as number) - (positions[a] as number)
    const vy = (positions[c + 1] as number) - (positions[a + 1] as number)
    const vz = (positions[c + 2] as number) - (positions[a + 2] as number)
    normals[at] = uy * vz - uz * vy
    normals[at + 1] = uz * vx - ux * vz
    normals[at + 2] = ux * vy - uy * vx
  }
  return normals
}

/** The length of three numbers of an array. */
export const lengthAt = (values: Float64Array, at: number) =>
  Math.sqrt((values[at] as number) ** 2 + (values[at + 1] as number) ** 2 + (values[at + 2] as number) ** 2)

/** The product of three numbers of an array with three others. */
export const dotAt = (values: Float64Array, at: number, others: ArrayLike<number>, other = 0) =>
  (values[at] as number) * (others[other] as number) +
  (values[at + 1] as number) * (others[other + 1] as number) +
  (values[at + 2] as number) * (others[other + 2] as number)

export function isClosed({ count, uses }: Edges): boolean {
  for (let edge = 0; edge < count; edge++) if (uses[edge] !== 2) return false
  return count > 0
}
