import { DOCUMENTED, type Documented } from '../operations/document.ts'
import { type Input, targetOf } from '../operations/inputs.ts'
import { shareOf } from './shares.ts'
import { MARK, NEAR_NUMBERS, NUMBERS, TEXTS, TIMES } from './texts.ts'

interface HostileTarget {
  name: string
  target: string
}

/** Percent-encodings that are invalid, decode to NUL or invalid UTF-8, or are ambiguous. */
const BAD_ENCODING = ['%', '%z', '%zz', '%ff', '%00', '%ED%A0%80', '%C0%AF', '%F0%9F%92', '%u0041', '%2', '+%2B+']

const schemaOf = ({ name, schema }: Documented['query'][number]) => `${name} ${JSON.stringify(schema)}`
/** The first operation with a parameter of a name and a schema. */
const FIRST = new Map(
  DOCUMENTED.toReversed().flatMap((operation) =>
    operation.query.map((parameter) => [schemaOf(parameter), operation] as const),
  ),
)

/**
 * Every parameter with hostile values, and queries that are invalid as a whole. A text that an operation searches for
 * gets every text. All other values are decoded and checked by the kit, so the first operation with a parameter gets
 * all of them, and each other one a fifth, in turn.
 */
export function wrongQueries(operation: Documented, input: Input): HostileTarget[] {
  const base = targetOf(operation, input)
  const withQuery = (search: string) => ({ name: search, target: `${base}${base.includes('?') ? '&' : '?'}${search}` })
  const each = operation.query.flatMap((parameter, at) => {
    const { name, schema } = parameter
    const searched = schema.type === 'string' && !schema.format && !schema.enum ? TEXTS.map(encodeURIComponent) : []
    const others = [
      ...BAD_ENCODING,
      ...[...(searched.length === 0 ? TEXTS : []), ...NUMBERS, ...NEAR_NUMBERS, ...valuesFor(schema)].map(
        encodeURIComponent,
      ),
      encodeURIComponent(MARK + '\u{1f4a9}'.repeat(1000)),
    ]
    const checked = [
      ...others.map((value) => withQuery(`${name}=${value}`)),
      withQuery(name),
      withQuery(`${name}=${MARK}&${name}=${MARK}`),
      withQuery(`${name}=1&${withEncodedFirstLetter(name)}=1`),
      withQuery(`${name}[]=${MARK}`),
      withQuery(`${name}[__proto__]=${MARK}`),
      withQuery(`${name}%00=${MARK}`),
    ]
    return [
      ...searched.map((value) => withQuery(`${name}=${value}`)),
      ...(FIRST.get(schemaOf(parameter)) === operation ? checked : shareOf(operation, checked, 5, at)),
    ]
  })
  const asWhole = ['&&&=&', '#x', 'page=1e9&pageSize=50', 'page=1000000000&pageSize=50', 'page=2147483647&pageSize=50']
  return [...each, ...asWhole.map(withQuery)]
}

/** Parameters that no operation declares. None has the marker in its name, which the error repeats. */
export const UNKNOWN_PARAMETERS: readonly string[] = [
  `unknown=${MARK}`,
  `Page=${MARK}`,
  `page%00=${MARK}`,
  `page[]=${MARK}`,
  `q%20=${MARK}`,
  `%ff=${MARK}`,
  `=${MARK}`,
  '?',
  'unknown',
  `__proto__=${MARK}&constructor=x&toString=x`,
  `__proto__[admin]=true`,
  `${'x'.repeat(15_000)}=1`,
  Array.from({ length: 1000 }, (_, n) => `p${n}=1`).join('&'),
  `%F0%9F%92%A9%E2%80%AE%0D%0AX-Injected:%20${'x'.repeat(200)}=${MARK}`,
]

const MAX_PAGE = 2_147_483_647
const PAGE_SIZES = Array.from({ length: 50 }, (_, at) => at + 1)

/** Page sizes of every list: the bounds and one between them. A list without filter also has a tenth of the others. */
const COMMON_PAGE_SIZES = [1, 7, 50]

/**
 * Pages past the end of every list: the page whose offset just exceeds a 32-bit integer, and the largest page, with
 * some page sizes without filter, and with one page size for each filter.
 */
export function farPages(operation: Documented, input: Input): HostileTarget[] {
  const pageSize = operation.query.find(({ name }) => name === 'pageSize')
  if (!pageSize) return []
  const filters = operation.query.filter(({ name }) => !['page', 'pageSize'].includes(name) && !(name in input.query))
  const filterValues = filters.flatMap(({ name, schema, example }) =>
    (schema.enum ?? [name === 'q' || name === 'search' ? 'a' : String(example)]).map((value) => ({ [name]: value })),
  )
  const sizes = new Set([...COMMON_PAGE_SIZES, ...shareOf(operation, PAGE_SIZES, 10)])
  const unfiltered = [...sizes].map((size) => ({ size, filter: {} }))
  const filtered = filterValues.map((filter, at) => ({ size: COMMON_PAGE_SIZES[at % 3] as number, filter }))
  return [...unfiltered, ...filtered].flatMap(({ size, filter }) =>
    [Math.min(MAX_PAGE, Math.ceil((MAX_PAGE + 1) / size)), MAX_PAGE].map((page) => {
      const query = { ...input.query, ...filter, page: String(page), pageSize: String(size) }
      const target = targetOf(operation, { ...input, query })
      return { name: target, target }
    }),
  )
}

/** The same name with its first letter percent-encoded. */
const withEncodedFirstLetter = (name: string) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`

function valuesFor({ type, format, enum: words, maxLength }: Documented['query'][number]['schema']): string[] {
  if (format === 'date-time') return [...TIMES]
  if (words) return [...words.map((word) => word.toLowerCase()), ...words.map((word) => ` ${word}`), words.join(',')]
  if (type === 'boolean') return ['TRUE', 'True', '1', 'yes', 'on', 'true ', 'tru\u0435']
  if (type === 'string' && maxLength) return ['x'.repeat(maxLength), 'x'.repeat(maxLength + 1)]
  return []
}

/** Invalid ids, and ids with a special meaning for a router, a proxy or a file system. */
const BAD_SEGMENTS = [
  ...BAD_ENCODING,
  // Raw bytes, which client libraries do not send.
  '\xff\xfe',
  '\xc3',
  '\xf0\x9f\x92\xa9',
  '..',
  '.',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  'a%2Fb',
  'a%5Cb',
  `${MARK}%27%20or%201=1--`,
  `${MARK};x=1`,
  `${MARK}%0d%0aX-Injected:%201`,
  '%7B%7B7*7%7D%7D',
  '*',
  '%25',
  '%2525',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  '0',
  '-1',
  '9007199254740993',
  '%F0%9F%92%A9',
  '%E2%80%AE',
  'x'.repeat(64),
  'x'.repeat(65),
  MARK + 'x'.repeat(10_000),
  '%41'.repeat(5000),
]

/** Paths that differ slightly from the path of the operation. */
export function wrongPaths(operation: Documented, input: Input): HostileTarget[] {
  const path = targetOf(operation, { ...input, query: {} })
  const last = path.lastIndexOf('/')
  const variants = [
    `${path}/`,
    `${path}//`,
    `${path}/${MARK}`,
    `/${path}`,
    `${path.slice(0, last)}/${path.slice(last)}`,
    path.toUpperCase(),
    `${path}%20`,
    `${path}%00`,
    `${path}%2F`,
    `${path};x=1`,
    `${path}:x`,
    `${path}X`,
    path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    `/x/..${path}`,
    `/.${path}`,
    `${path}\xff\xfe`,
    `${path}?\xff=\xff&q=\xed\xa0\x80&search=\xc3`,
  ]
  const withBadSegments = operation.params.flatMap(({ name }) =>
    BAD_SEGMENTS.map((segment) => operation.path.replace(`{${name}}`, () => segment)),
  )
  const withOtherParams = (target: string) =>
    target.replaceAll(/\{(\w+)\}/g, (_, name: string) => input.params[name] ?? '')
  return [...variants, ...withBadSegments.map(withOtherParams)].map((target) => ({ name: target.slice(0, 80), target }))
}
