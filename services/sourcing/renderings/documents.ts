import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { Preview } from '../../../proto/http/sourcing/previews.ts'
import { extendedDocument, type JsonText, withFields } from '../../kit/db/json-text.ts'
import type { Pictures } from './pictures.ts'
import { type Measured, measuredFields } from './rules.ts'

/** A stored document with what the reader may know of the models of its part. */
export interface PicturedRow {
  document: string
  measured: Measured | null
}

interface Reading {
  pictures: Pick<Pictures, 'urls'>
  now: string
}

const pictureOf = ({ picture }: Measured, { pictures, now }: Reading) =>
  picture === undefined ? {} : { previewUrl: pictures.urls.of(picture, now) }

const fieldsOfPart = ({ document, measured }: PicturedRow, reading: Reading) => {
  if (!measured) return {}
  // Most parts state no box, and parsing a document takes as long as reading it.
  const part: Pick<Part, 'boundingBox' | 'unitSystem'> = document.includes('"boundingBox":') ? JSON.parse(document) : {}
  return { ...measuredFields(part, measured), ...pictureOf(measured, reading) }
}

const fieldsOfRecord = ({ measured }: PicturedRow, reading: Reading) => (measured ? pictureOf(measured, reading) : {})

/** A part with its measured box and its picture. */
export const picturedPart = (row: PicturedRow, reading: Reading): JsonText =>
  extendedDocument(row.document, fieldsOfPart(row, reading))

/** An RFQ, an offer or an order with the picture of its part. */
export const picturedRecord = (row: PicturedRow, reading: Reading): JsonText =>
  extendedDocument(row.document, fieldsOfRecord(row, reading))

/** The rows of a page of parts. */
export const picturedParts = <Row extends PicturedRow>(rows: readonly Row[], reading: Reading): readonly Row[] =>
  rows.map((row) => ({ ...row, document: withFields(row.document, fieldsOfPart(row, reading)) }))

/** The rows of a page of RFQs, offers or orders. */
export const picturedRecords = <Row extends PicturedRow>(rows: readonly Row[], reading: Reading): readonly Row[] =>
  rows.map((row) => ({ ...row, document: withFields(row.document, fieldsOfRecord(row, reading)) }))

/** What was made of a file, as `renderingOf` selects it. */
export interface RenderingColumn {
  state: 'READY' | 'FAILED'
  reason?: NonNullable<File['geometry']>['reason']
  geometry?: Omit<NonNullable<File['geometry']>, 'state' | 'reason'>
  previews?: (Pick<Preview, 'kind' | 'page' | 'width' | 'height'> & { id: string })[]
}

/** The fields of a file or a document that come from its rendering. */
export function renderedFieldsOf(
  rendering: RenderingColumn | null,
  { pictures, now }: Reading,
): Pick<File, 'geometry' | 'previews'> {
  if (!rendering) return {}
  const { state, reason, geometry, previews = [] } = rendering
  return {
    ...(state === 'FAILED' && reason ? { geometry: { state, reason } } : {}),
    ...(geometry ? { geometry: { state, ...geometry } } : {}),
    ...(previews.length > 0
      ? { previews: previews.map(({ id, ...preview }) => ({ ...preview, url: pictures.urls.of(id, now) })) }
      : {}),
  }
}
