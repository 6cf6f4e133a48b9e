import { type Static, Type } from '@sinclair/typebox'
import { MAX_CONTENT_BYTES, PAGES } from './limits.ts'

const CLOSED = { additionalProperties: false } as const
const size = Type.Number({ minimum: 0, maximum: 1e30 })
const count = Type.Integer({ minimum: 0, maximum: 2 ** 32 })

/** What a model measures: mm, mm², mm³. */
const GeometryHeader = Type.Object(
  {
    boundingBox: Type.Object({ x: size, y: size, z: size }, CLOSED),
    volume: size,
    surfaceArea: size,
    bodies: count,
    triangles: count,
    /** Whether each edge belongs to exactly two triangles. */
    watertight: Type.Boolean(),
    /** The unit that the file names; `unknown` is read as mm. */
    unit: Type.Union(['um', 'mm', 'cm', 'm', 'inch', 'ft', 'mixed', 'unknown'].map((unit) => Type.Literal(unit))),
  },
  CLOSED,
)
const PreviewHeader = Type.Object(
  {
    kind: Type.Union([Type.Literal('MODEL'), Type.Literal('IMAGE'), Type.Literal('PAGE')]),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGES })),
    contentType: Type.Union([Type.Literal('image/png'), Type.Literal('model/gltf-binary')]),
    width: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096 })),
    height: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096 })),
    bytes: Type.Integer({ minimum: 1, maximum: MAX_CONTENT_BYTES }),
  },
  CLOSED,
)
const Reason = Type.Union(
  (['TOO_LARGE', 'TOO_COMPLEX', 'TIMEOUT', 'OUT_OF_MEMORY', 'CRASHED', 'INVALID'] as const).map((reason) =>
    Type.Literal(reason),
  ),
)

/** The header of an answer. */
export const Header = Type.Union([
  Type.Object(
    {
      state: Type.Literal('READY'),
      geometry: Type.Optional(GeometryHeader),
      pages: Type.Optional(count),
      previews: Type.Array(PreviewHeader, { maxItems: PAGES }),
    },
    CLOSED,
  ),
  Type.Object({ state: Type.Literal('FAILED'), reason: Reason }, CLOSED),
  Type.Object({ state: Type.Literal('UNSUPPORTED') }, CLOSED),
  /** The kernel gives no confinement, which is no fault of the file. */
  Type.Object({ state: Type.Literal('UNCONFINED'), message: Type.String({ maxLength: 1000 }) }, CLOSED),
])

export type Geometry = Static<typeof GeometryHeader>

export type Preview = Omit<Static<typeof PreviewHeader>, 'bytes'> & { content: Uint8Array }

export type FailureReason = Static<typeof Reason>

export type Rendering =
  | { state: 'READY'; geometry?: Geometry; previews: Preview[]; pages?: number }
  | { state: 'FAILED'; reason: FailureReason }
  /** A file of another kind: nothing is made of it. */
  | { state: 'UNSUPPORTED' }
