import { succeeded } from '../../../../services/testing/client.ts'
import { inRounds, median, msOf, rounds } from '../compare.ts'
import type { Section } from '../context.ts'
import { LARGE_TRADER } from '../database.ts'
import { signIn } from '../services.ts'

const PARTS = 1000
const ROUNDS = 5

/** A table of parts that are created, and the same table with other titles, which changes them. */
export const measureImport: Section = async function* (context) {
  const client = await signIn(context, 'sourcing', LARGE_TRADER)
  let imports = 0
  const send = (csv: string) => succeeded(client.post('/flows/v1/part-imports', csv, { 'content-type': 'text/csv' }))
  const table = (prefix: string, title: string) =>
    [
      'externalRef,title,description,materialType,materialNote',
      ...Array.from(
        { length: PARTS },
        (_, n) => `${prefix}-${n},${title} ${n},"Closed impeller, 120 mm",metal,Low carbon`,
      ),
    ].join('\n')
  const both = async () => {
    const prefix = `BENCH-${++imports}`
    const created = await msOf(() => send(table(prefix, 'Impeller')))
    changes.push(await msOf(() => send(table(prefix, 'Changed impeller'))))
    return created
  }
  const changes: number[] = []
  await both()
  changes.length = 0
  const [creations = []] = await inRounds(rounds(ROUNDS), [both])
  for (const [what, times] of [
    [`import that creates ${PARTS} parts`, creations],
    [`import that changes ${PARTS} parts`, changes],
  ] as const) {
    const result = median(times)
    yield { what, ours: `${result.toFixed(0)} ms`, reference: '–', result, unit: 'ms', wanted: { atMost: 5000 } }
  }
}
