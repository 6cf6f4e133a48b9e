import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { Preview } from '../../../proto/http/sourcing/previews.ts'
import { extendedDocument, type JsonText, withFields } from '../../kit/db/json-text.ts'
import type { DocumentRow } from '../../kit/pagination/pagination.ts'
import type { Pictures, PinnedPicture, Reader, ReleasedModel, WithheldPicture } from './pictures.ts'
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

/** An RFQ, an offer or an order, whose position in a list is its id. */
export interface RecordRow extends DocumentRow {
  pinnedPicture: PinnedPicture
}

interface RecordReading {
  pictures: Pictures
  reader: Reader
}

const isWithheld = (picture: PinnedPicture): picture is WithheldPicture =>
  typeof picture === 'object' && picture !== null

/** The fields of each row; one question is for all rows whose picture may be withheld. */
async function fieldsOfRecords(rows: readonly RecordRow[], { pictures, reader }: RecordReading) {
  const withheld = rows.map(({ pinnedPicture }) => pinnedPicture).filter(isWithheld)
  const released = withheld.length === 0 ? [] : await pictures.released(reader, withheld)
  return rows.map(({ pinnedPicture: pinned }) => {
    const picture = isWithheld(pinned) ? shownOf(pinned, released) : pinned
    return picture === null ? {} : pictureOf({ picture }, { pictures, now: reader.now })
  })
}

const shownOf = ({ partId, revision, ip, open }: WithheldPicture, released: readonly ReleasedModel[]) =>
  released.some((model) => model.partId === partId && model.revision === revision) ? ip : open

/** A part with its measured box and its picture. */
export const picturedPart = (row: PicturedRow, reading: Reading): JsonText =>
  extendedDocument(row.document, fieldsOfPart(row, reading))

/** An RFQ, an offer or an order with the picture of its part. */
export async function picturedRecord(row: RecordRow, reading: RecordReading): Promise<JsonText> {
  const [fields = {}] = await fieldsOfRecords([row], reading)
  return extendedDocument(row.document, fields)
}

/** The rows of a page of parts. */
export const picturedParts = <Row extends PicturedRow>(rows: readonly Row[], reading: Reading): readonly Row[] =>
  rows.map((row) => ({ ...row, document: withFields(row.document, fieldsOfPart(row, reading)) }))

/** The rows of a page of RFQs, offers or orders. */
export async function picturedRecords<Row extends RecordRow>(
  rows: readonly Row[],
  reading: RecordReading,
): Promise<readonly Row[]> {
  const fields = await fieldsOfRecords(rows, reading)
  return rows.map((row, at) => ({ ...row, document: withFields(row.document, fields[at] ?? {}) }))
}

/** What was made of a file, as `renderingColumn` selects it. */
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
