import { createRequire } from 'node:module'
import type { Color, Mesh, Model } from './model.ts'
import { RenderingError } from './rendering-error.ts'
import { unitOfIges, unitOfStep } from './units.ts'

interface ImportedMesh {
  color?: [number, number, number]
  attributes: { position: { array: number[] } }
  index: { array: number[] }
}
interface OpenCascade {
  ReadStepFile(file: Uint8Array, parameters: object): { success: boolean; meshes?: ImportedMesh[] }
  ReadIgesFile(file: Uint8Array, parameters: object): { success: boolean; meshes?: ImportedMesh[] }
}
type Load = (options: { wasmBinary: Uint8Array; print: () => void; printErr: () => void }) => Promise<OpenCascade>

/** Radians between neighbouring triangles of a curved face; OpenCASCADE takes the half. */
const COARSE = 0.5
/** A circle then has 252 segments; a cylinder has 0.01 % less than its volume, and a cone 0.04 %. */
const FINE = 0.05
/** Above this angle a second reading would add little. */
const WORTHWHILE = 0.3
/** What the second reading may come to, where every face is curved in both directions. */
const FINE_TRIANGLES = 1_000_000
/** Most of the time goes into reading, which the second one repeats. */
const FINE_AFTER_MS = 20_000

/** Reads what OpenCASCADE needs from the disk, and returns the reader of a file. */
export async function openCascade() {
  const { resolve } = createRequire(import.meta.url)
  const wasmBinary = await Bun.file(resolve('occt-import-js/dist/occt-import-js.wasm')).bytes()
  // @ts-expect-error The package has no types.
  const { default: load }: { default: Load } = await import('occt-import-js')
  return async (kind: 'STEP' | 'IGES', file: Uint8Array, maxTriangles: number): Promise<Model> => {
    const { ReadStepFile, ReadIgesFile } = await load({ wasmBinary, print: () => {}, printErr: () => {} })
    const started = performance.now()
    const readAt = (angularDeflection: number): ImportedMesh[] => {
      const { success, meshes = [] } = (kind === 'STEP' ? ReadStepFile : ReadIgesFile)(file, {
        ...{ linearUnit: 'millimeter', linearDeflectionType: 'bounding_box_ratio', linearDeflection: 0.001 },
        angularDeflection,
      })
      if (!success || trianglesOf(meshes) === 0) throw new RenderingError('INVALID')
      if (trianglesOf(meshes) > maxTriangles) throw new RenderingError('TOO_COMPLEX')
      return meshes
    }
    let meshes = readAt(COARSE)
    const angle = Math.max(FINE, COARSE * Math.sqrt(trianglesOf(meshes) / Math.min(FINE_TRIANGLES, maxTriangles)))
    if (angle <= WORTHWHILE && performance.now() - started < FINE_AFTER_MS) meshes = readAt(angle)
    return {
      unit: kind === 'STEP' ? unitOfStep(file) : unitOfIges(file),
      up: 'Z',
      separateSolids: true,
      meshes: meshes.map(meshOf),
    }
  }
}

const trianglesOf = (meshes: readonly ImportedMesh[]) =>
  meshes.reduce((sum, { index }) => sum + index.array.length / 3, 0)

function meshOf({ color, attributes, index }: ImportedMesh): Mesh {
  return {
    positions: Float64Array.from(attributes.position.array),
    indices: Uint32Array.from(index.array),
    ...(color && { color: color satisfies Color }),
  }
}
