import { join } from 'node:path'
import { CASE, EXPENSE } from '../../../proto/states/cases.ts'
import { CHANGE_REQUEST } from '../../../proto/states/change-requests.ts'
import { ENDPOINT } from '../../../proto/states/endpoints.ts'
import { FILE } from '../../../proto/states/files.ts'
import { MAIL } from '../../../proto/states/mails.ts'
import { OFFER } from '../../../proto/states/offers.ts'
import { ORDER } from '../../../proto/states/orders.ts'
import { PART } from '../../../proto/states/parts.ts'
import { QUESTION } from '../../../proto/states/questions.ts'
import { RFQ } from '../../../proto/states/rfqs.ts'
import { SALES_AGREEMENT } from '../../../proto/states/sales-agreements.ts'
import { KEY } from '../../../proto/states/service-account-keys.ts'
import { SHIPMENT } from '../../../proto/states/shipments.ts'
import { SUBSCRIPTION } from '../../../proto/states/subscriptions.ts'
import { USER } from '../../../proto/states/users.ts'
import { ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import type { GeneratedFiles } from './files.ts'
import { drawnStates, type States, stateDiagram } from './state-diagram.ts'

const GUIDES = join('proto', 'guides')
const DRAWINGS = join('services', 'site', 'pages', 'documentation', 'states')

/** The tables of each guide, by the name in its markers. */
const TABLES = {
  'trade.md': {
    parts: PART,
    rfqs: RFQ,
    questions: QUESTION,
    offers: OFFER,
    orders: ORDER,
    shipments: SHIPMENT,
    changes: CHANGE_REQUEST,
    agreements: SALES_AGREEMENT,
    cases: CASE,
    expenses: EXPENSE,
  },
  'parts-and-files.md': { files: FILE, subscriptions: SUBSCRIPTION },
  'webhooks.md': { endpoints: ENDPOINT },
  'organization.md': { users: USER, mails: MAIL },
  'service-accounts.md': { keys: KEY },
}

/** A guide with its diagrams between their markers. */
function withDiagrams(path: string, guide: string, tables: Readonly<Record<string, States>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const block = new RegExp(`<!-- states of ${name} -->[\\s\\S]*?<!-- /states -->`)
    if (!block.test(text)) throw new CommandError(`${path} has no place for the states of ${name}.`)
    return text.replace(
      block,
      `<!-- states of ${name} -->\n\`\`\`mermaid\n${stateDiagram(table)}\n\`\`\`\n<!-- /states -->`,
    )
  }, guide)
}

/** The guides with their state diagrams, and the drawings that their pages show. */
export async function diagramFiles(): Promise<GeneratedFiles> {
  const texts = new Map<string, string>()
  for (const [file, tables] of Object.entries(TABLES)) {
    const path = join(GUIDES, file)
    texts.set(path, withDiagrams(path, await Bun.file(join(ROOT, path)).text(), tables))
    for (const [name, table] of Object.entries(tables)) {
      texts.set(join(DRAWINGS, `${name}.svg`), await drawnStates(table, `The states of ${name}`))
    }
  }
  return texts
}
