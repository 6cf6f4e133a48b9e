import type { PartInput } from '../../../../proto/http/sourcing/parts.ts'
import { succeeded } from '../../../../services/testing/client.ts'
import { compareRates } from '../compare.ts'
import type { Section } from '../context.ts'
import { clientSide } from '../http.ts'
import { createLeastTables, leastTransaction } from '../least.ts'
import { pgbenchSide } from '../pgbench.ts'
import { signIn } from '../services.ts'

const PATH = '/v1/parts'
const LEAST = leastTransaction({ records: 1, events: 1 })
const PART: PartInput = {
  title: 'Impeller, cooling water pump',
  externalRef: 'DRW-4711-B',
  description: 'Closed impeller with six vanes, 120 mm.',
  materialId: '316l',
  processId: 'pbf-metal',
  standardIds: ['iso-astm-52901'],
  categoryIds: ['iso-14224-pu'],
  keywords: ['impeller', 'pump'],
  boundingBox: { x: 120, y: 120, z: 45.5 },
  metadata: { pump: 'P-101A' },
}

/** Creating parts, with audit entry, history and event, against the least transaction in pgbench. */
export const measureCreate: Section = async function* (context) {
  const { database, pace } = context
  const client = await signIn(context, 'sourcing')
  await succeeded(client.post(PATH, PART))
  await createLeastTables(database)
  yield* compareRates({
    what: `POST ${PATH}`,
    ours: clientSide(client, { method: 'POST', path: PATH, body: JSON.stringify(PART) }),
    references: [{ name: 'the least transaction', side: pgbenchSide(database, 'sourcing', LEAST), atLeast: 0.4 }],
    pace,
  })
}
