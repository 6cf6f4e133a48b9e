import { join } from 'node:path'
import { OPERATIONS } from '../proto/http/operations.ts'
import { asyncApi } from './contract/asyncapi.ts'
import { openApiOf } from './contract/document.ts'
import { CommandError } from './toolchain/command-error.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const FOLDER = join(import.meta.dir, '..', 'proto')

/** One OpenAPI document for each service, the merged one that the marketplace serves, and the AsyncAPI document. */
async function documents(): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const textOf = (document: object) => `${JSON.stringify(document, null, 1)}\n`
  const write = async (name: string, operations: Parameters<typeof openApiOf>[0]) =>
    texts.set(join('openapi', `${name}.json`), textOf(await openApiOf(operations)))
  for (const [service, operations] of Object.entries(OPERATIONS)) await write(service, operations)
  await write('marketplace', Object.values(OPERATIONS).flat())
  texts.set('asyncapi.json', textOf(asyncApi()))
  return texts
}

async function write({ check = false }): Promise<void> {
  const stale: string[] = []
  for (const [name, text] of await documents()) {
    const file = Bun.file(join(FOLDER, name))
    if ((await file.exists()) && (await file.text()) === text) continue
    stale.push(name)
    if (!check) await Bun.write(file, text)
  }
  if (check && stale.length > 0) {
    throw new CommandError(
      `Out of date: ${stale.join(', ')}. If the change of the contract is intended, run bun scripts/openapi.ts and commit.`,
    )
  }
  console.log(stale.length > 0 ? `Written: ${stale.join(', ')}` : 'The OpenAPI and AsyncAPI documents are up to date.')
}

await runCommandLine(
  commandLine('bun scripts/openapi.ts', 'Writes the OpenAPI documents of proto/openapi and proto/asyncapi.json.')
    .option('--check', 'fails if a document is out of date, and writes nothing')
    .action(write),
)
