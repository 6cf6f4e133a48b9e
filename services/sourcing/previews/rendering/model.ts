import { RenderingError } from './rendering-error.ts'

export type Color = readonly [red: number, green: number, blue: number]

/** Triangles in mm. */
export interface Mesh {
  positions: Float64Array
  /** Three for each triangle. */
  indices: Uint32Array
  color?: Color
}

export interface Model {
  unit: string
  up: 'Y' | 'Z'
  /** Whether each mesh is one solid, as in a boundary representation, or may hold several. */
  separateSolids: boolean
  meshes: Mesh[]
}

/** Points in an array that grows. */
export class Points {
  private values = new Float64Array(3 * 64)
  length = 0

  push(x: number, y: number, z: number): void {
    if (!Number.isFinite(x + y + z)) throw new RenderingError('INVALID')
    if (this.length === this.values.length) {
      const grown = new Float64Array(this.length * 2)
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.length] = x
    this.values[this.length + 1] = y
    this.values[this.length + 2] = z
    this.length += 3
  }

  at(index: number): number {
    return this.values[index] as number
  }

  finish(): Float64Array {
    return this.values.slice(0, this.length)
  }
}

/** Points without repetition. */
export class Vertices {
  private readonly points = new Points()
  private slots = new Int32Array(1024).fill(-1)
  private readonly bits = new Float64Array(3)
  private readonly words = new Uint32Array(this.bits.buffer)

  /** The index of a point, equal to that of an equal one before. */
  add(x: number, y: number, z: number): number {
    const { points } = this
    if ((points.length / 3) * 2 >= this.slots.length) this.grow()
    let slot = this.slotOf(x, y, z)
    for (;;) {
      const found = this.slots[slot] as number
      if (found < 0) break
      if (points.at(found * 3) === x && points.at(found * 3 + 1) === y && points.at(found * 3 + 2) === z) return found
      slot = (slot + 1) & (this.slots.length - 1)
    }
    const index = points.length / 3
    points.push(x, y, z)
    this.slots[slot] = index
    return index
  }

  finish(): Float64Array {
    return this.points.finish()
  }

  private slotOf(x: number, y: number, z: number): number {
    // Minus zero equals zero.
    this.bits[0] = x + 0
    this.bits[1] = y + 0
    this.bits[2] = z + 0
    let hash = 0x9e3779b9
    for (let at = 0; at < 6; at++) hash = Math.imul(hash ^ (this.words[at] as number), 0x85ebca6b) ^ (hash >>> 13)
    return (hash ^ (hash >>> 16)) & (this.slots.length - 1)
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1)
    for (let index = 0; index * 3 < this.points.length; index++) {
      let slot = this.slotOf(this.points.at(index * 3), this.points.at(index * 3 + 1), this.points.at(index * 3 + 2))
      while ((this.slots[slot] as number) >= 0) slot = (slot + 1) & (this.slots.length - 1)
      this.slots[slot] = index
    }
  }
}

/** Numbers in an array that grows. */
export class Numbers {
  private values = new Uint32Array(3 * 64)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const grown = new Uint32Array(this.length * 2)
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.length] = value
    this.length += 1
  }

  at(index: number): number {
    return this.values[index] as number
  }

  finish(): Uint32Array {
    return this.values.slice(0, this.length)
  }
}

export interface Box {
  low: [number, number, number]
  high: [number, number, number]
}

/** The box of the vertices that triangles use; empty where there is none. */
export function boxOf(meshes: readonly Mesh[]): Box {
  const box: Box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] }
  for (const { positions, indices } of meshes) {
    for (const index of indices) {
      for (let axis = 0; axis < 3; axis++) {
        const value = positions[index * 3 + axis] as number
        if (value < (box.low[axis] as number)) box.low[axis] = value
        if (value > (box.high[axis] as number)) box.high[axis] = value
      }
    }
  }
  return box
}

export const diagonalOf = ({ low, high }: Box) => Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2])
