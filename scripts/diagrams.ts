import { join } from 'node:path'
import { CASE } from '../proto/states/cases.ts'
import { OFFER } from '../proto/states/offers.ts'
import { ORDER } from '../proto/states/orders.ts'
import { PART } from '../proto/states/parts.ts'
import { RFQ } from '../proto/states/rfqs.ts'
import { drawnStates, stateDiagram } from './contract/state-diagram.ts'
import { CommandError } from './toolchain/command-error.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const ROOT = join(import.meta.dir, '..')
const GUIDE = join('proto', 'guides', 'trade.md')
const DRAWINGS = join('services', 'site', 'pages', 'documentation', 'states')

/** By the name in the markers of the guide. */
const TABLES = { parts: PART, rfqs: RFQ, offers: OFFER, orders: ORDER, cases: CASE }

/** The guide with the diagrams between their markers. */
function withDiagrams(guide: string): string {
  return Object.entries(TABLES).reduce((text, [name, table]) => {
    const block = new RegExp(`<!-- states of ${name} -->[\\s\\S]*?<!-- /states -->`)
    if (!block.test(text)) throw new CommandError(`${GUIDE} has no place for the states of ${name}.`)
    return text.replace(
      block,
      `<!-- states of ${name} -->\n\`\`\`mermaid\n${stateDiagram(table)}\n\`\`\`\n<!-- /states -->`,
    )
  }, guide)
}

/** The texts of the generated files: the guide with its diagrams, and the drawings that its page shows. */
async function files(): Promise<Map<string, string>> {
  const texts = new Map([[GUIDE, withDiagrams(await Bun.file(join(ROOT, GUIDE)).text())]])
  for (const [name, table] of Object.entries(TABLES)) {
    texts.set(join(DRAWINGS, `${name}.svg`), await drawnStates(table, `The states of ${name}`))
  }
  return texts
}

async function write({ check = false }): Promise<void> {
  const stale: string[] = []
  for (const [path, text] of await files()) {
    const file = Bun.file(join(ROOT, path))
    if ((await file.exists()) && (await file.text()) === text) continue
    stale.push(path)
    if (!check) await Bun.write(file, text)
  }
  if (check && stale.length > 0) {
    throw new CommandError(
      `The state diagrams are out of date: run bun scripts/diagrams.ts and commit. (${stale.join(', ')})`,
    )
  }
  console.log('The state diagrams are up to date.')
}

await runCommandLine(
  commandLine('bun scripts/diagrams.ts', 'Writes the state diagrams of the guide of trades from the tables of states.')
    .option('--check', 'fails if a diagram is out of date, and writes nothing')
    .action(write),
)
