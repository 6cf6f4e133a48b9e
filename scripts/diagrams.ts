import { join } from 'node:path'
import { CASE_TRANSITIONS } from '../services/sourcing/cases/states.ts'
import { OFFER_TRANSITIONS } from '../services/sourcing/offers/states.ts'
import { ORDER_TRANSITIONS } from '../services/sourcing/orders/states.ts'
import { TRANSITIONS as PART_TRANSITIONS } from '../services/sourcing/parts/rules.ts'
import { RFQ_TRANSITIONS } from '../services/sourcing/rfqs/states.ts'
import { stateDiagram } from './contract/state-diagram.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'
import { Refusal } from './toolchain/refusal.ts'

const GUIDE = join(import.meta.dir, '..', 'proto', 'guides', 'trade.md')

/** A part in any state can be deleted. */
const PART_STATES = [...new Set(Object.values(PART_TRANSITIONS).flatMap(({ from, to }) => [from, to]))]

/** By the name in the markers of the guide. */
const DIAGRAMS: Record<string, string> = {
  parts: stateDiagram('DRAFT', { ...PART_TRANSITIONS, delete: { from: PART_STATES, to: 'DELETED' } }),
  rfqs: stateDiagram('DRAFT', RFQ_TRANSITIONS),
  offers: stateDiagram('DRAFT', OFFER_TRANSITIONS),
  orders: stateDiagram('PLACED', {
    ...ORDER_TRANSITIONS,
    // An order resumes in the state from which it was put on hold.
    resume: { from: ORDER_TRANSITIONS.resume.from, to: ORDER_TRANSITIONS.hold.from },
  }),
  cases: stateDiagram('OPEN', CASE_TRANSITIONS),
}

/** The guide with the diagrams between their markers. */
function withDiagrams(guide: string): string {
  return Object.entries(DIAGRAMS).reduce((text, [name, diagram]) => {
    const block = new RegExp(`<!-- states of ${name} -->[\\s\\S]*?<!-- /states -->`)
    if (!block.test(text)) throw new Refusal(`${GUIDE} has no place for the states of ${name}.`)
    return text.replace(block, `<!-- states of ${name} -->\n\`\`\`mermaid\n${diagram}\n\`\`\`\n<!-- /states -->`)
  }, guide)
}

async function write({ check = false }): Promise<void> {
  const file = Bun.file(GUIDE)
  const before = await file.text()
  const after = withDiagrams(before)
  if (before !== after && check) {
    throw new Refusal(
      'The state diagrams of proto/guides/trade.md are out of date: run bun scripts/diagrams.ts and commit.',
    )
  }
  if (before !== after) await Bun.write(file, after)
  console.log('The state diagrams of proto/guides/trade.md are up to date.')
}

await runCommandLine(
  commandLine(
    'bun scripts/diagrams.ts',
    'Writes the state diagrams of proto/guides/trade.md from the tables of states.',
  )
    .option('--check', 'fails if a diagram is out of date, and writes nothing')
    .action(write),
)
