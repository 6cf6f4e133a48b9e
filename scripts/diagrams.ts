import { join } from 'node:path'
import { CASE } from '../proto/states/cases.ts'
import { OFFER } from '../proto/states/offers.ts'
import { ORDER } from '../proto/states/orders.ts'
import { PART } from '../proto/states/parts.ts'
import { RFQ } from '../proto/states/rfqs.ts'
import { stateDiagram } from './contract/state-diagram.ts'
import { CommandError } from './toolchain/command-error.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const GUIDE = join(import.meta.dir, '..', 'proto', 'guides', 'trade.md')

/** By the name in the markers of the guide. */
const DIAGRAMS: Record<string, string> = {
  parts: stateDiagram(PART),
  rfqs: stateDiagram(RFQ),
  offers: stateDiagram(OFFER),
  orders: stateDiagram(ORDER),
  cases: stateDiagram(CASE),
}

/** The guide with the diagrams between their markers. */
function withDiagrams(guide: string): string {
  return Object.entries(DIAGRAMS).reduce((text, [name, diagram]) => {
    const block = new RegExp(`<!-- states of ${name} -->[\\s\\S]*?<!-- /states -->`)
    if (!block.test(text)) throw new CommandError(`${GUIDE} has no place for the states of ${name}.`)
    return text.replace(block, `<!-- states of ${name} -->\n\`\`\`mermaid\n${diagram}\n\`\`\`\n<!-- /states -->`)
  }, guide)
}

async function write({ check = false }): Promise<void> {
  const file = Bun.file(GUIDE)
  const before = await file.text()
  const after = withDiagrams(before)
  if (before !== after && check) {
    throw new CommandError(
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
