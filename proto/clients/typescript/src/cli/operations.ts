import { readFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Document, type Operation, type Parameter, resolved, type Schema, valueSchema } from './document.ts'
import { CliError } from './failure.ts'
import { isGivenByOptions, optionOf } from './fields.ts'
import { camel, kebab } from './names.ts'
import { FORMATS, type Values } from './output.ts'
import { printItems, printRecord } from './results.ts'
import type { Session } from './session.ts'

const METHODS = ['get', 'post', 'patch', 'put', 'delete'] as const
const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

/** An operation of the document as a command: its path as arguments, its query, headers and fields as options. */
interface Described {
  operation: Operation
  method: string
  path: string
  parameters: Parameter[]
  /** The media type of the request, where it has a body. */
  bodyType: string | undefined
  body: Schema | undefined
  /** The fields of the records that the answer has, if it is JSON. */
  fields: string[]
  isList: boolean
  hasTag: boolean
}

/** Adds a command for each operation. */
export function addOperations(program: Command, document: Document, sessionOf: () => Promise<Session>): void {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = methods[method]
      if (operation) addOperation(program, document, describe(document, method, path, operation), sessionOf)
    }
  }
}

function describe(document: Document, method: string, path: string, operation: Operation): Described {
  const [bodyType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? []
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1]
  const answered = success && resolved(document, success)
  const answer = answered?.content?.[JSON_TYPE]?.schema
  const { properties = {} } = answer ? resolved<Schema>(document, answer) : {}
  // An answer of /v2.3 is inside of `data`.
  const inner = properties.items ?? properties.data
  const { items, properties: members = properties } = inner ? valueSchema(document, inner) : {}
  const item = items && resolved<Schema>(document, items)
  return {
    operation,
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters ?? []).map((parameter) => resolved<Parameter>(document, parameter)),
    bodyType,
    body: content && resolved<Schema>(document, content.schema),
    fields: Object.keys(item ? (item.properties ?? {}) : members),
    isList: item !== undefined,
    hasTag: answered?.headers?.ETag !== undefined,
  }
}

function addOperation(
  program: Command,
  document: Document,
  described: Described,
  sessionOf: () => Promise<Session>,
): void {
  const { operation, parameters, bodyType, body, isList, hasTag } = described
  const command = program
    .command(kebab(operation.operationId))
    .summary(operation.summary)
    .helpGroup(`${resourceOf(described.path)}:`)
    .description([operation.summary, operation.description].filter(Boolean).join('\n\n'))
  for (const { name, description } of parameters.filter((parameter) => parameter.in === 'path')) {
    command.argument(`<${kebab(name)}>`, description)
  }
  const given = parameters.filter((parameter) => parameter.in !== 'path' && parameter.name !== 'X-Request-Id')
  for (const parameter of given) command.addOption(optionOf(document, parameter))
  const taken = new Set(given.map(({ name }) => kebab(name)))
  const all = Object.entries(body?.properties ?? {})
  const fields = all.filter(([name, schema]) => !taken.has(kebab(name)) && isGivenByOptions(document, schema))
  if (bodyType !== undefined) {
    command.option('--body <value>', 'the body: text, `@file`, or `-` for standard input; other options replace fields')
    for (const [name, schema] of fields) {
      const { description = '' } = schema.description === undefined ? valueSchema(document, schema) : schema
      const required = body?.required?.includes(name) ?? false
      command.addOption(optionOf(document, { name, in: 'query', description, required, schema }))
    }
    const others = all.filter((field) => !fields.includes(field)).map(([name]) => name)
    const names = others.map((name) => (body?.required?.includes(name) ? `${name} (required)` : name))
    if (names.length > 0) command.addHelpText('after', `\nOnly in --body: ${names.join(', ')}.`)
  }
  if (taken.has('page')) command.option('--all', 'every page')
  if (hasTag) command.option('--show-etag', 'prints the ETag, which --if-match takes, to standard error')
  if (described.fields.length > 0) {
    command.addOption(new Option('--output <format>', 'format of the answer').choices(FORMATS).default('json'))
    command.option('--columns <names>', 'columns of a table or of CSV: `title,state`', columnsOf(described.fields))
  }
  command.action(async (...words: unknown[]) => {
    const options = command.opts<Values>()
    const positional = words.slice(0, command.registeredArguments.length) as string[]
    if (positional.includes('')) throw new CliError('An argument is empty.')
    const session = await sessionOf()
    const sent = { ...(await bodyOf(document, described, fields, options)), headers: headersOf(given, options) }
    const target = (more: Values) => targetOf(described, positional, { ...options, ...more })
    const send = (more: Values) => session.send(request(session, described, target(more), sent))
    await (isList ? printItems : printRecord)(send, described.fields, options)
  })
}

/** Resources whose names are not those of their paths. */
const RESOURCES: Readonly<Record<string, string>> = { oauth: 'OAuth', orgs: 'Organizations', rfqs: 'RFQs' }

/** The resource of a path, such as `Audit log`, under which the help lists the command. */
function resourceOf(path: string): string {
  const [, word = ''] = /^\/(?:v[\d.]+|flows\/v\d+)\/(?:\.well-known\/)?([a-z-]+)/.exec(path) ?? []
  const words = word.replaceAll('-', ' ')
  return RESOURCES[word] ?? (words === '' ? 'Others' : `${words[0]?.toUpperCase()}${words.slice(1)}`)
}

/** Accepts names of columns that the answer has. */
const columnsOf = (fields: readonly string[]) => (text: string) => {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !fields.includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`The columns are ${fields.join(', ')}.`)
  return names
}

const optionValue = (options: Values, name: string) => options[camel(kebab(name))]

function headersOf(given: readonly Parameter[], options: Values): Record<string, string> {
  const sent = given.filter(
    (parameter) => parameter.in === 'header' && optionValue(options, parameter.name) !== undefined,
  )
  return Object.fromEntries(sent.map(({ name }) => [name, String(optionValue(options, name))]))
}

/** The path with its arguments and the query. */
function targetOf({ path, parameters }: Described, positional: readonly string[], options: Values): string {
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(positional[names.indexOf(name)] ?? ''),
  )
  const query = new URLSearchParams()
  for (const { name, in: place } of parameters) {
    const value = optionValue(options, name)
    if (place === 'query' && value !== undefined) for (const each of [value].flat()) query.append(name, String(each))
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}

/** The body of `--body` with the fields of options. */
async function bodyOf(
  document: Document,
  { bodyType, operation }: Described,
  fields: readonly (readonly [string, Schema])[],
  options: Values,
): Promise<{ body?: string | Uint8Array<ArrayBuffer>; contentType?: string }> {
  if (bodyType === undefined) return {}
  const given = options.body === undefined ? undefined : await contentOf(String(options.body))
  if (bodyType !== JSON_TYPE && bodyType !== FORM) return { body: given ?? new Uint8Array(), contentType: bodyType }
  const set = fields.flatMap(([name, schema]) => {
    const value = optionValue(options, name)
    return value === undefined ? [] : [[name, typed(value, valueSchema(document, schema))] as const]
  })
  if (given === undefined && set.length === 0) {
    if (!operation.requestBody?.required) return {}
    throw new CliError(
      `The command needs a body: --body ${fields.length > 0 ? 'or the options of its fields' : ''}`.trim(),
    )
  }
  const object = {
    ...(given === undefined ? {} : parsed(Buffer.from(given).toString('utf8'))),
    ...Object.fromEntries(set),
  }
  if (bodyType === JSON_TYPE) return { body: JSON.stringify(object), contentType: JSON_TYPE }
  return { body: new URLSearchParams(object as Record<string, string>).toString(), contentType: FORM }
}

/** Options of numbers, arrays and objects have their values already. */
const typed = (value: unknown, { type }: Schema): unknown =>
  [type].flat().includes('boolean') ? value === 'true' : value

function parsed(text: string): Values {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values
  } catch {
    // The sentence below tells it.
  }
  throw new CliError('The body is not a JSON object.')
}

async function contentOf(given: string): Promise<Uint8Array<ArrayBuffer>> {
  if (given !== '-' && !given.startsWith('@')) return new Uint8Array(Buffer.from(given))
  if (given !== '-') {
    const bytes = await readFile(given.slice(1)).catch((error: Error) => {
      throw new CliError(`The body cannot be read: ${error.message}`)
    })
    return new Uint8Array(bytes)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return new Uint8Array(Buffer.concat(chunks))
}

interface Sent {
  body?: string | Uint8Array<ArrayBuffer>
  contentType?: string
  headers: Record<string, string>
}

function request({ url }: Session, { method }: Described, target: string, sent: Sent): Request {
  const { body, contentType, headers } = sent
  return new Request(`${url}${target}`, {
    method,
    headers: { ...sendable(headers), ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    ...(body === undefined ? {} : { body }),
  })
}

function sendable(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\x20-\x7e]*$/.test(value)) throw new CliError(`The value of --${kebab(name)} is not printable ASCII.`)
  }
  return headers
}
