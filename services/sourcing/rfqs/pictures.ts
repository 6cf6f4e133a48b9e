import { picturedRecords, type RecordRow } from '../renderings/documents.ts'
import type { Pictures, Reader } from '../renderings/pictures.ts'
import type { RfqPageRow } from './list-queries.ts'
import { findMeasured } from './queries.ts'

interface Reading {
  pictures: Pictures
  reader: Reader
}

/** What the reader may know of the models of the parts of RFQs, by the id of the RFQ. */
export async function measuredOf(
  rfqs: readonly { id: string; hasModel: boolean }[],
  { pictures, reader: { caller, now, read } }: Reading,
): Promise<ReadonlyMap<string, RecordRow['measured']>> {
  const ids = rfqs.filter(({ hasModel }) => hasModel).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const found = await read((sql) => findMeasured(sql, ids, pictures.ofRfq(caller.orgId, now)))
  return new Map(found.map(({ id, measured }) => [id, measured]))
}

/** A page of RFQs with the pictures of their parts. */
export async function picturedRfqs(rows: readonly RfqPageRow[], reading: Reading) {
  const measured = await measuredOf(
    rows.map(({ position: id, hasModel }) => ({ id, hasModel })),
    reading,
  )
  return picturedRecords(
    rows.map((row) => ({ ...row, measured: measured.get(row.position) ?? null })),
    reading,
  )
}
