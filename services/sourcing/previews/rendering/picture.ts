import type { Measured, Shape } from './measure.ts'
import { boxOf, type Color, type Model } from './model.ts'
import { encodePng } from './png.ts'
import { dotAt, lengthAt } from './topology.ts'

export const PICTURE_PIXELS = 512
/** Each pixel is the mean of four. */
const SAMPLES = 2
const SIZE = PICTURE_PIXELS * SAMPLES
const MARGIN = 12 * SAMPLES

/** Linear values of a grey that is readable on light and dark. */
export const DEFAULT_COLOR: Color = [0.39, 0.44, 0.49]
const EDGE_LEVEL = 38
/** Faces at a smaller angle continue each other. */
export const CREASE_COSINE = Math.cos((25 * Math.PI) / 180)
/** With more, the picture of a scan would be black. */
const MAX_EDGES = 300_000
/** An edge lies on its faces: it may be behind the depth of its pixel by this share of the whole depth. */
const EDGE_BIAS = 0.006

/** From the right, the front and above, in axes of a model whose up is z. */
const RIGHT = [Math.SQRT1_2, Math.SQRT1_2, 0] as const
const UP = [-1 / Math.sqrt(6), 1 / Math.sqrt(6), 2 / Math.sqrt(6)] as const
const NEAR = [1 / Math.sqrt(3), -1 / Math.sqrt(3), 1 / Math.sqrt(3)] as const
/** In axes of the picture: right, up, towards the eye. */
const LIGHT = [-0.3, 0.75, 0.59] as const

type Axes = readonly [right: readonly number[], up: readonly number[], near: readonly number[]]
const axesOf = (up: Model['up']): Axes => {
  // With y up, z of the model is -y of these axes.
  const turned = ([x, y, z]: readonly [number, number, number]) => (up === 'Z' ? [x, y, z] : [x, z, -y])
  return [turned(RIGHT), turned(UP), turned(NEAR)]
}

/** Draws triangles and edges into a buffer of depths and colours, without a GPU. */
export function pictureOf({ shapes }: Measured, up: Model['up']): Uint8Array {
  const axes = axesOf(up)
  const projected = shapes.map(({ topology }) => projectionOf(topology.positions, axes))
  fit(shapes, projected)
  const canvas: Canvas = {
    depths: new Float32Array(SIZE * SIZE).fill(-Infinity),
    pixels: new Uint8Array(SIZE * SIZE * 4),
  }
  for (const [at, shape] of shapes.entries()) drawFaces(canvas, shape, projected[at] as Float64Array, axes)
  outline(canvas)
  const edges = shapes.map(({ topology }) => visibleEdgesOf(topology, axes[2]))
  if (edges.reduce((sum, { length }) => sum + length, 0) <= MAX_EDGES) {
    for (const [at, shape] of shapes.entries()) {
      drawEdges(canvas, shape, projected[at] as Float64Array, edges[at] as Uint32Array)
    }
  }
  return encodePng(reduced(canvas.pixels), PICTURE_PIXELS, PICTURE_PIXELS)
}

interface Canvas {
  depths: Float32Array
  pixels: Uint8Array
}

/** Right, up and near of each vertex. */
function projectionOf(positions: Float64Array, axes: Axes): Float64Array {
  const projected = new Float64Array(positions.length)
  for (let at = 0; at < positions.length; at += 3) {
    for (let axis = 0; axis < 3; axis++) projected[at + axis] = dotAt(positions, at, axes[axis] as readonly number[])
  }
  return projected
}

/** Scales to the picture, with y downwards, and depths from 0 to 1. */
function fit(shapes: readonly Shape[], projected: readonly Float64Array[]): void {
  const { low, high } = boxOf(
    projected.map((positions, at) => ({ positions, indices: (shapes[at] as Shape).topology.indices })),
  )
  const size = (axis: 0 | 1 | 2) => high[axis] - low[axis]
  const scale = (SIZE - 2 * MARGIN) / Math.max(size(0), size(1), Number.MIN_VALUE)
  const left = (SIZE - size(0) * scale) / 2
  const top = (SIZE - size(1) * scale) / 2
  const depth = Math.max(size(2), Number.MIN_VALUE)
  for (const points of projected) {
    for (let at = 0; at < points.length; at += 3) {
      points[at] = left + ((points[at] as number) - low[0]) * scale
      points[at + 1] = top + (high[1] - (points[at + 1] as number)) * scale
      points[at + 2] = ((points[at + 2] as number) - low[2]) / depth
    }
  }
}

function drawFaces({ depths, pixels }: Canvas, { mesh, topology }: Shape, points: Float64Array, axes: Axes): void {
  const { indices, normals } = topology
  const color = mesh.color ?? DEFAULT_COLOR
  for (let at = 0; at < indices.length; at += 3) {
    const a = (indices[at] as number) * 3
    const b = (indices[at + 1] as number) * 3
    const c = (indices[at + 2] as number) * 3
    const ax = points[a] as number
    const ay = points[a + 1] as number
    const bx = points[b] as number
    const by = points[b + 1] as number
    const cx = points[c] as number
    const cy = points[c + 1] as number
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if (area === 0) continue
    const level = brightnessOf(normals, at, axes)
    const red = byteOf(color[0] * level)
    const green = byteOf(color[1] * level)
    const blue = byteOf(color[2] * level)
    const left = Math.max(0, Math.floor(Math.min(ax, bx, cx)))
    const right = Math.min(SIZE - 1, Math.ceil(Math.max(ax, bx, cx)))
    const bottom = Math.min(SIZE - 1, Math.ceil(Math.max(ay, by, cy)))
    for (let y = Math.max(0, Math.floor(Math.min(ay, by, cy))); y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const u = ((bx - x - 0.5) * (cy - y - 0.5) - (by - y - 0.5) * (cx - x - 0.5)) / area
        const v = ((cx - x - 0.5) * (ay - y - 0.5) - (cy - y - 0.5) * (ax - x - 0.5)) / area
        const w = 1 - u - v
        if (u < 0 || v < 0 || w < 0) continue
        const depth = u * (points[a + 2] as number) + v * (points[b + 2] as number) + w * (points[c + 2] as number)
        const pixel = y * SIZE + x
        if (depth <= (depths[pixel] as number)) continue
        depths[pixel] = depth
        pixels[pixel * 4] = red
        pixels[pixel * 4 + 1] = green
        pixels[pixel * 4 + 2] = blue
        pixels[pixel * 4 + 3] = 255
      }
    }
  }
}

/** Light from above on the side that is seen, and a little everywhere. */
function brightnessOf(normals: Float64Array, at: number, [right, up, near]: Axes): number {
  const length = lengthAt(normals, at)
  if (length === 0) return 1
  const towards = dotAt(normals, at, near)
  const light = dotAt(normals, at, right) * LIGHT[0] + dotAt(normals, at, up) * LIGHT[1] + towards * LIGHT[2]
  return 0.42 + 0.95 * Math.max(0, (towards < 0 ? -light : light) / length)
}

/** A linear value as a byte of sRGB. */
function byteOf(linear: number): number {
  const value = Math.min(1, Math.max(0, linear))
  return Math.round(255 * (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055))
}

/** Pixels of a face beside none are dark. */
function outline({ depths, pixels }: Canvas): void {
  for (let y = 1; y < SIZE - 1; y++) {
    for (let x = 1; x < SIZE - 1; x++) {
      const at = y * SIZE + x
      if (depths[at] === -Infinity) continue
      const isInner =
        Math.min(
          Math.min(depths[at - 1] as number, depths[at + 1] as number),
          Math.min(depths[at - SIZE] as number, depths[at + SIZE] as number),
        ) > -Infinity
      if (!isInner) paint(pixels, x, y)
    }
  }
}

function drawEdges({ depths, pixels }: Canvas, { topology }: Shape, points: Float64Array, edges: Uint32Array): void {
  const { from, to } = topology.edges
  for (const edge of edges) {
    const start = (from[edge] as number) * 3
    const end = (to[edge] as number) * 3
    const x = points[start] as number
    const y = points[start + 1] as number
    const z = points[start + 2] as number
    const dx = (points[end] as number) - x
    const dy = (points[end + 1] as number) - y
    const dz = (points[end + 2] as number) - z
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy))))
    for (let step = 0; step <= steps; step++) {
      const px = Math.floor(x + (dx * step) / steps)
      const py = Math.floor(y + (dy * step) / steps)
      const depth = z + (dz * step) / steps
      if (depth + EDGE_BIAS >= (depths[py * SIZE + px] as number)) paint(pixels, px, py)
    }
  }
}

/** Edges where a face ends, turns by more than the crease, or turns away from the eye. */
function visibleEdgesOf({ edges, normals }: Shape['topology'], near: readonly number[]): Uint32Array {
  const { count, first, second, uses } = edges
  const visible = new Uint32Array(count)
  let length = 0
  for (let edge = 0; edge < count; edge++) {
    const one = (first[edge] as number) * 3
    const other = (second[edge] as number) * 3
    const lengths = lengthAt(normals, one) * lengthAt(normals, other)
    const isSmooth = uses[edge] === 2 && dotAt(normals, one, normals, other) > CREASE_COSINE * lengths
    if (isSmooth && dotAt(normals, one, near) > 0 === dotAt(normals, other, near) > 0) continue
    visible[length] = edge
    length += 1
  }
  return visible.subarray(0, length)
}

/** A line is three samples wide. */
function paint(pixels: Uint8Array, x: number, y: number): void {
  for (let row = y - 1; row <= y + 1; row++) {
    for (let at = (row * SIZE + x - 1) * 4; at < (row * SIZE + x + 2) * 4; at += 4) {
      pixels[at] = EDGE_LEVEL
      pixels[at + 1] = EDGE_LEVEL
      pixels[at + 2] = EDGE_LEVEL
      pixels[at + 3] = 255
    }
  }
}

/** The mean of the samples of each pixel, weighted by their coverage. */
function reduced(samples: Uint8Array): Uint8Array {
  const pixels = new Uint8Array(PICTURE_PIXELS * PICTURE_PIXELS * 4)
  for (let target = 0; target < pixels.length; target += 4) {
    const row = Math.floor(target / 4 / PICTURE_PIXELS) * SAMPLES
    const column = ((target / 4) % PICTURE_PIXELS) * SAMPLES
    let [red, green, blue, alpha] = [0, 0, 0, 0]
    for (let sample = 0; sample < SAMPLES * SAMPLES; sample++) {
      const at = ((row + Math.floor(sample / SAMPLES)) * SIZE + column + (sample % SAMPLES)) * 4
      const weight = samples[at + 3] as number
      red += (samples[at] as number) * weight
      green += (samples[at + 1] as number) * weight
      blue += (samples[at + 2] as number) * weight
      alpha += weight
    }
    if (alpha === 0) continue
    pixels[target] = Math.round(red / alpha)
    pixels[target + 1] = Math.round(green / alpha)
    pixels[target + 2] = Math.round(blue / alpha)
    pixels[target + 3] = Math.round(alpha / (SAMPLES * SAMPLES))
  }
  return pixels
}
