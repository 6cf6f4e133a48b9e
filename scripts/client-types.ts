import { join } from 'node:path'
import { clientTypesOf } from './contract/client-types.ts'
import { commandLine, runCommandLine } from './toolchain/command-line.ts'

const PROTO = join(import.meta.dir, '..', 'proto')

/**
 * The types are not committed. They are written where the document has changed, so that tools need not check them
 * again.
 */
async function write(): Promise<void> {
  const file = Bun.file(join(PROTO, 'clients', 'typescript', 'src', 'generated', 'openapi.ts'))
  const text = await clientTypesOf(await Bun.file(join(PROTO, 'openapi', 'marketplace.json')).json())
  if (!(await file.exists()) || (await file.text()) !== text) await Bun.write(file, text)
  console.log('The types of the TypeScript client are up to date.')
}

await runCommandLine(
  commandLine(
    'bun scripts/client-types.ts',
    'Writes the types of the TypeScript client from the OpenAPI document.',
  ).action(write),
)
