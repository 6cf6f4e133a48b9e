import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { plugin } from 'bun'
import { BUN, CACHE, ROOT } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

/**
 * Generates the types of a TypeScript client from the OpenAPI document and checks them, as developers of clients do.
 * openapi-typescript needs the programming interface of TypeScript 5, which TypeScript 7 does not have.
 */
plugin({
  name: 'typescript 5 for openapi-typescript',
  setup(build) {
    build.module('typescript', async () => ({ exports: await import('typescript5'), loader: 'object' }))
  },
})
const { default: openapiTS, astToString } = await import('openapi-typescript')

const document = join(ROOT, 'proto', 'openapi', 'marketplace.json')
const folder = join(CACHE, 'client-types')
const types = join(folder, 'marketplace.ts')
await mkdir(folder, { recursive: true })
await Bun.write(types, astToString(await openapiTS(await Bun.file(document).json())))

const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const { code, output } = await run([BUN, compiler, '--noEmit', '--strict', '--ignoreConfig', types], {
  signal: new AbortController().signal,
  timeoutMs: 60_000,
})
console.log(code === 0 ? 'The types of a generated client are valid.' : output)
process.exit(code)
