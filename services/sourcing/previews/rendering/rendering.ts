/** What a model measures: mm, mm², mm³. */
export interface Geometry {
  boundingBox: { x: number; y: number; z: number }
  volume: number
  surfaceArea: number
  bodies: number
  triangles: number
  /** Whether each edge belongs to exactly two triangles. */
  watertight: boolean
  /** The unit that the file names, such as `mm`, `inch` or `m`; `unknown` is read as mm. */
  unit: string
}

export interface Preview {
  kind: 'MODEL' | 'IMAGE' | 'PAGE'
  page?: number
  contentType: 'image/png' | 'model/gltf-binary'
  width?: number
  height?: number
  content: Uint8Array
}

export type FailureReason = 'TOO_LARGE' | 'TOO_COMPLEX' | 'TIMEOUT' | 'OUT_OF_MEMORY' | 'CRASHED' | 'INVALID'

export type Rendering =
  | { state: 'READY'; geometry?: Geometry; previews: Preview[]; pages?: number }
  | { state: 'FAILED'; reason: FailureReason }
  /** A file of another kind: nothing is made of it. */
  | { state: 'UNSUPPORTED' }
