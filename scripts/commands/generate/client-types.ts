import { join } from 'node:path'
import { plugin } from 'bun'
import { ROOT } from '../../toolchain/checkout.ts'
import type { OpenApi } from './document.ts'
import type { GeneratedFiles } from './files.ts'

type Responses = Record<string, { headers?: unknown }>

/**
 * The types of the TypeScript client, by openapi-typescript. Errors and headers are left out: the client throws error
 * responses as one class.
 */
async function clientTypesOf(document: OpenApi): Promise<string> {
  // openapi-typescript needs the programming interface of TypeScript 5, which TypeScript 7 does not have.
  plugin({
    name: 'typescript 5 for openapi-typescript',
    setup(build) {
      build.module('typescript', async () => ({ exports: await import('typescript5'), loader: 'object' }))
    },
  })
  const { default: openapiTS, astToString } = await import('openapi-typescript')
  const described = structuredClone(document)
  for (const operation of Object.values(described.paths).flatMap((methods) => Object.values(methods))) {
    const successes = Object.entries(operation.responses as Responses).filter(([status]) => status.startsWith('2'))
    operation.responses = Object.fromEntries(successes.map(([status, { headers, ...response }]) => [status, response]))
  }
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true }
  const source = { ...described, components: { ...described.components, responses: {}, headers: {} } }
  return astToString(await openapiTS(source as unknown as Parameters<typeof openapiTS>[0], options))
}

/** The types of the TypeScript client, which are not committed, from the committed document. */
export async function clientTypeFiles(): Promise<GeneratedFiles> {
  const document = await Bun.file(join(ROOT, 'proto', 'openapi', 'marketplace.json')).json()
  return new Map([['proto/clients/typescript/src/generated/openapi.ts', await clientTypesOf(document)]])
}
