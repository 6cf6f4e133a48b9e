import type { PageQuery } from '../../../proto/http/shapes.ts'
import { JsonText } from '../db/json-text.ts'

/** Where a page starts and ends in its list. One row more tells whether a next page exists. */
export const windowOf = ({ page, pageSize }: PageQuery) => ({ limit: pageSize + 1, offset: (page - 1) * pageSize })

/** The envelope of a paged list, of rows that were read with one row more than a page. */
export const pageOf = <T>(rows: readonly T[], { pageSize }: PageQuery) => ({
  items: rows.slice(0, pageSize),
  hasMore: rows.length > pageSize,
})

/** The same for rows that carry their public JSON as text. */
export function pageOfTexts(texts: readonly string[], { pageSize }: PageQuery): JsonText {
  const hasMore = texts.length > pageSize
  return new JsonText(`{"items":[${(hasMore ? texts.slice(0, pageSize) : texts).join(',')}],"hasMore":${hasMore}}`)
}

export const pageOfDocuments = (rows: readonly { document: string }[], query: PageQuery): JsonText =>
  pageOfTexts(
    rows.map((row) => row.document),
    query,
  )
