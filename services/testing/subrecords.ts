import type { Pool } from '../kit/db/client.ts'
import { newId } from '../kit/db/ids.ts'
import type { SubrecordKind } from '../sourcing/subrecords/queries.ts'

/** Valid content of each kind. */
const CONTENT = {
  contact: { name: 'Sales' },
  billing: { companyName: 'Skagen', address: { regionCode: 'DK', locality: 'Esbjerg', lines: [] } },
  extension: { dueDate: '2031-06-24', previousDueDate: '2031-05-29', reason: 'Powder' },
  task: { title: 'Report', state: 'OPEN' },
  expense: {
    description: 'Freight',
    amount: { amount: '1.00', currency: 'EUR' },
    incurredDate: '2026-01-01',
    state: 'PROPOSED',
  },
}

/** Inserts subrecords of an organization, and returns their ids. */
export async function insertSubrecords(
  owner: Pool,
  { kind, parentId, orgId }: { kind: SubrecordKind; parentId: string; orgId: string },
  count = 1,
): Promise<string[]> {
  const parentField = kind === 'task' || kind === 'expense' ? 'caseId' : 'assignmentId'
  const at = new Date().toISOString()
  const times = { createdTime: at, ...(kind === 'extension' ? {} : { updatedTime: at }) }
  const rows = Array.from({ length: count }, () => {
    const id = newId(kind)
    return { id, document: JSON.stringify({ id, [parentField]: parentId, orgId, ...CONTENT[kind], ...times }) }
  })
  await owner`
    insert into sourcing.subrecords (id, kind, parent_id, org_id, document)
    select r.id, ${kind}, ${parentId}, ${orgId}, r.document
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ document }) => document)}::text[]) r (id, document)`
  return rows.map(({ id }) => id)
}
