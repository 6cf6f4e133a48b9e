import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, OneOf, pathParam } from '../shapes.ts'
import { filesTag, signed } from './uploads.ts'

/** Stable codes of the reasons for which nothing could be made of a file. */
const RENDERING_FAILURES = ['TOO_LARGE', 'TOO_COMPLEX', 'TIMEOUT', 'OUT_OF_MEMORY', 'CRASHED', 'INVALID'] as const
export type RenderingFailure = (typeof RENDERING_FAILURES)[number]

const PREVIEW_KINDS = ['MODEL', 'IMAGE', 'PAGE'] as const

const extent = (axis: string, example: number) =>
  Type.Number({ description: `Extent along ${axis}, in mm.`, examples: [example] })

export const MeasuredBox = closed(
  { x: extent('x', 120), y: extent('y', 80), z: extent('z', 40) },
  { description: 'Extent of a model, in millimetres.', examples: [{ x: 120, y: 80, z: 40 }] },
)
export type MeasuredBox = Static<typeof MeasuredBox>

/** The measures of a model. */
export const measures = {
  boundingBox: MeasuredBox,
  volume: Type.Number({ description: 'Volume, in mm³.', examples: [384_000] }),
  surfaceArea: Type.Number({ description: 'Area of the surface, in mm².', examples: [35_200] }),
  bodies: Type.Integer({ description: 'Number of separate bodies.', examples: [1] }),
  triangles: Type.Integer({ description: 'Number of triangles.', examples: [12] }),
  watertight: Type.Boolean({
    description: 'Whether the surface is closed. The volume of another one is an estimate.',
    examples: [true],
  }),
  unit: Type.String({
    description: 'Unit of length as read from the file; `unknown` counts as mm.',
    examples: ['mm'],
  }),
}

export const Geometry = closed(
  {
    state: OneOf(['READY', 'FAILED'], {
      description: 'FAILED if the file could not be measured or pictured. The file itself stays READY.',
      examples: ['READY'],
    }),
    reason: Type.Optional(
      OneOf(RENDERING_FAILURES, {
        description:
          'Reason of FAILED. TOO_LARGE: more than 200 MB. TOO_COMPLEX: more than 5 million triangles or 40 million pixels, or a 3MF of more than 1 GB unpacked. TIMEOUT: more than 60 s. INVALID: the content is broken.',
        examples: ['INVALID'],
      }),
    ),
    ...Type.Partial(closed(measures)).properties,
  },
  {
    description:
      'Measured on the server. Absent until it is measured, and for files that are no models, unless they could not be pictured. The measures are present if the state is READY.',
  },
)

export const Preview = closed(
  {
    kind: OneOf(PREVIEW_KINDS, {
      description: 'MODEL: GLB for a viewer. IMAGE: picture of a model or an image. PAGE: a page of a PDF.',
      examples: ['IMAGE'],
    }),
    page: Type.Optional(Type.Integer({ description: 'Number of the page, from 1 to 10.', examples: [1] })),
    url: Type.String({
      description: 'Signed URL of a PNG or GLB, valid for at most five minutes. It needs no token.',
      examples: ['https://market.example.com/files/previews/prev_01JZ8Q4D3R1G5M7VJ0T6W2X9YB?signature=…'],
    }),
    width: Type.Optional(Type.Integer({ description: 'Width, in pixels.', examples: [512] })),
    height: Type.Optional(Type.Integer({ description: 'Height, in pixels.', examples: [512] })),
  },
  { description: 'Made of a file by the server, for all who can read the file.' },
)
export type Preview = Static<typeof Preview>

/** What files and documents have in common. */
export const renderedFields = {
  geometry: Type.Optional(Geometry),
  previews: Type.Optional(
    Type.Array(Preview, {
      maxItems: 10,
      description: 'The model, its picture, or the first ten pages. Absent until they are made.',
    }),
  ),
}

/** The picture of the part of a record. */
export const pictureField = {
  previewUrl: Type.Optional(
    Type.String({
      description:
        'Signed URL of a picture of the part: the newest file of group `preview`, else the newest model, of those that you can read. Valid for at most five minutes. In answers of `GET`.',
      examples: ['https://market.example.com/files/previews/prev_01JZ8Q4D3R1G5M7VJ0T6W2X9YB?signature=…'],
    }),
  ),
}

export const getPreview = defineOperation({
  id: 'getPreview',
  method: 'GET',
  path: '/files/previews/{key}',
  tag: filesTag,
  summary: 'Get a preview',
  description: 'The URL of a preview. The bytes are made by this service, and sent to be shown by a browser.',
  access: 'public',
  params: pathParam('key', 'Key of the preview.', 'prev_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
  query: Type.Object(signed),
  response: Type.String({ description: 'The bytes.', examples: ['PNG'] }),
  mediaType: 'application/octet-stream',
  refusals: ['forbidden', 'not_found'],
})
