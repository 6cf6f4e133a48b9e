import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import { CliError, EXIT } from './failure.ts'
import { printable } from './terminal.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: string[]
  format?: string
  description?: string
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
}
export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}
interface Content {
  content?: Record<string, { schema: Schema }>
  headers?: Record<string, unknown>
}
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content | { $ref: string }>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

interface Cached {
  etag: string | null
  document: Document
}

const TIMEOUT_MS = 30_000

/**
 * The OpenAPI document of a marketplace, which is kept and read again only when it has changed. The help of a
 * marketplace that cannot be reached is that of the kept one.
 */
export async function readDocument(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
  { isHelp }: { isHelp: boolean },
): Promise<Document> {
  const { XDG_CACHE_HOME, HOME } = environment
  const folder = join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'marketplace')
  const file = join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 16)}.json`)
  const cached = await readFile(file, 'utf8')
    .then((text) => JSON.parse(text) as Cached)
    .catch(() => undefined)
  const headers: Record<string, string> = cached?.etag ? { 'if-none-match': cached.etag } : {}
  const address = `${url}/openapi.json`
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((cause) => {
    return new NetworkError({ method: 'GET', url: address }, { cause, attempts: 1 })
  })
  if (cached && (response instanceof Error ? isHelp : response.status === 304)) return cached.document
  if (response instanceof Error) throw response
  if (!response.ok) {
    throw new CliError(`${url}/openapi.json answers ${response.status}: is it a marketplace?`, EXIT.unreachable)
  }
  const text = await response.text().catch(() => '')
  const document = parsed(text)
  if (document?.paths === undefined) throw new CliError(`${url} is no marketplace.`, EXIT.unreachable)
  await mkdir(folder, { recursive: true })
  await writeFile(file, JSON.stringify({ etag: response.headers.get('etag'), document } satisfies Cached))
  return document
}

/** Its texts are printed as help, so none may command the terminal. */
function parsed(text: string): Document | undefined {
  try {
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? printable(value) : value)) as Document
  } catch {
    return undefined
  }
}

/**
 * The schema of a value that is present, with the component that it refers to: of a nullable one, what it is otherwise.
 */
export function valueSchema(document: Document, schema: Schema): Schema {
  const { type, enum: words, ...known } = resolved<Schema>(document, schema)
  const present = Array.isArray(type) ? type.find((name) => name !== 'null') : type
  return {
    ...known,
    ...(present === undefined ? {} : { type: present }),
    ...(words ? { enum: words.filter((word) => word !== null) } : {}),
  }
}

/** The component that a reference names, or the value itself. */
export function resolved<T extends object>(document: Document, value: T | { $ref: string }): T {
  if (!('$ref' in value) || value.$ref === undefined) return value as T
  const [, , kind = '', name = ''] = value.$ref.split('/')
  return resolved(document, document.components[kind]?.[name] as T)
}
