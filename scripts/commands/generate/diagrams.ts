import { join } from 'node:path'
import { CASE } from '../../../proto/states/cases.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import { ORDER } from '../../../proto/states/orders.ts'
import { PART } from '../../../proto/states/parts.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import { ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import type { GeneratedFiles } from './files.ts'
import { drawnStates, stateDiagram } from './state-diagram.ts'

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

/** The guide of trades with its state diagrams, and the drawings that its page shows. */
export async function diagramFiles(): Promise<GeneratedFiles> {
  const texts = new Map([[GUIDE, withDiagrams(await Bun.file(join(ROOT, GUIDE)).text())]])
  for (const [name, table] of Object.entries(TABLES)) {
    texts.set(join(DRAWINGS, `${name}.svg`), await drawnStates(table, `The states of ${name}`))
  }
  return texts
}
