import { OPERATIONS } from '../../../proto/http/operations.ts'
import { asyncApi } from './asyncapi.ts'
import { openApiOf } from './document.ts'
import type { GeneratedFiles } from './files.ts'

const textOf = (document: object) => `${JSON.stringify(document, null, 1)}\n`

/** One OpenAPI document for each service, the merged one that the marketplace serves, and the AsyncAPI document. */
export async function documentFiles(): Promise<GeneratedFiles> {
  const files = new Map([['proto/asyncapi.json', textOf(asyncApi())]])
  for (const [name, operations] of [
    ...Object.entries(OPERATIONS),
    ['marketplace', Object.values(OPERATIONS).flat()] as const,
  ]) {
    files.set(`proto/openapi/${name}.json`, textOf(await openApiOf(operations)))
  }
  return files
}
