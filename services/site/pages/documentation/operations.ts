import { type ApiDocument, METHODS, type ShownOperation } from './resources.ts'
import { exampleOf, fieldsOf, type Resolve, type Schema, typeOf } from './schema-text.ts'

interface Content {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown; $ref?: string }>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

interface Answer {
  description: string
  content?: Record<string, Content>
}

interface Described extends ShownOperation {
  deprecated?: boolean
  'x-beta'?: boolean
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<string, Answer | { $ref: string }>
}

/** A Markdown page of each operation, by its id. */
export function operationPages(document: ApiDocument, publicUrl: string): Map<string, string> {
  const resolve: Resolve = (value) => ('$ref' in value && value.$ref ? at(document, value.$ref) : value) as never
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method] as Described | undefined
        if (!operation) return []
        return [[operation.operationId, pageOf(operation, { method, path, resolve, publicUrl })] as const]
      }),
    ),
  )
}

const at = (document: object, reference: string) =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document)

interface Place {
  method: string
  path: string
  resolve: Resolve
  publicUrl: string
}

function pageOf(operation: Described, { method, path, resolve, publicUrl }: Place): string {
  const { operationId, summary, description = '', requestBody, responses } = operation
  const parameters = (operation.parameters ?? []).map((each) => resolve<Parameter>(each))
  return `${[
    `# ${summary}`,
    `\`${method.toUpperCase()} ${publicUrl}${path}\` (\`${operationId}\`)`,
    ...notesOf(operation),
    description,
    ...(!/^Needs (the permission|no token)/m.test(description) ? ['Needs an access token, and no permission.'] : []),
    ...(parameters.length > 0 ? ['## Parameters', parameterTable(parameters, resolve)] : []),
    ...(requestBody ? bodyOf(requestBody, resolve) : []),
    ...Object.entries(responses)
      .filter(([status]) => status < '300')
      .flatMap(([status, answer]) => answerOf(status, resolve<Answer>(answer), resolve)),
    '## Errors',
    errorList(responses, { resolve, publicUrl }),
  ].join('\n\n')}\n`
}

const notesOf = (operation: Described) => [
  ...(operation['x-beta'] ? ['Beta: it can change incompatibly without notice.'] : []),
  ...(operation.deprecated ? ['Deprecated.'] : []),
]

/** A cell of a table, on one line. */
const cell = (text: string) => text.replaceAll('\n', ' ').replaceAll(/(?<!\\)\|/g, '\\|')

const table = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [columns, columns.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')

const parameterTable = (parameters: readonly Parameter[], resolve: Resolve) =>
  table(
    ['name', 'in', 'type', 'required', 'description', 'example'],
    parameters.map(({ name, in: place, schema, required, description = '', example }) => [
      `\`${name}\``,
      place,
      typeOf(schema, resolve),
      required ? 'yes' : 'no',
      description,
      example === undefined ? '' : `\`${JSON.stringify(example)}\``,
    ]),
  )

const fieldTable = (schema: Schema, resolve: Resolve) => {
  const rows = fieldsOf(schema, resolve).map(({ name, type, required, description }) => [
    `\`${name}\``,
    type,
    required ? 'yes' : 'no',
    description,
  ])
  return rows.length > 0 ? [table(['field', 'type', 'required', 'description'], rows)] : []
}

const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

function exampleIn({ example, examples, schema }: Content, resolve: Resolve, all: boolean): unknown {
  if (example !== undefined) return example
  const [named] = Object.values(examples ?? {})
  const { value } = named ? resolve<{ value?: unknown }>(named) : {}
  return value ?? exampleOf(schema ?? {}, resolve, { all })
}

function bodyOf({ required, content }: NonNullable<Described['requestBody']>, resolve: Resolve): string[] {
  return Object.entries(content).flatMap(([mediaType, described]) => [
    '## Body',
    `\`${mediaType}\`${required ? '' : ', optional'}`,
    ...(described.schema?.format === 'binary'
      ? ['The bytes of the file.']
      : [...fieldTable(described.schema ?? {}, resolve), json(exampleIn(described, resolve, false))]),
  ])
}

function answerOf(status: string, { description, content = {} }: Answer, resolve: Resolve): string[] {
  return [
    `## Answer ${status}`,
    description,
    ...Object.entries(content).flatMap(([mediaType, described]) => [
      `\`${mediaType}\``,
      ...fieldTable(described.schema ?? {}, resolve),
      ...(mediaType === 'application/json' ? [json(exampleIn(described, resolve, true))] : []),
    ]),
  ]
}

/** The errors by status, whose codes are explained on a page of their own. */
function errorList(responses: Described['responses'], { resolve, publicUrl }: Pick<Place, 'resolve' | 'publicUrl'>) {
  const lines = Object.entries(responses)
    .filter(([status]) => status >= '400')
    .map(([status, answer]) => `- ${status}: ${resolve<Answer>(answer).description}`)
  return [`Every code is explained at ${publicUrl}/docs/errors.md.`, lines.join('\n')].join('\n\n')
}
