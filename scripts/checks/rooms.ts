import { posix } from 'node:path'
import { type Import, importsOf, lineAt, readSource, type Source } from './source.ts'

/** A place where the architecture is not kept. */
export interface Violation {
  path: string
  line: number
  rule: string
}

/** The rooms of a service, as their file names say; every other file of a feature is a workroom: consumers, workers. */
const SERVICE_ROOMS = ['main', 'service', 'config', 'routes', 'commands', 'rules', 'queries'] as const
type ServiceRoom = (typeof SERVICE_ROOMS)[number] | 'workroom'
type Room = ServiceRoom | 'proto' | 'kit' | 'all' | 'scripts' | 'tests' | 'manifest'

/** What a room may import from its own service. Down, or beside it; never up. */
const WITHIN_SERVICE: Record<ServiceRoom, readonly ServiceRoom[]> = {
  main: ['service', 'config'],
  service: ['config', 'routes', 'workroom', 'commands', 'queries', 'rules'],
  config: ['config'],
  routes: ['config', 'routes', 'workroom', 'commands', 'queries', 'rules'],
  workroom: ['config', 'workroom', 'commands', 'queries', 'rules'],
  commands: ['config', 'workroom', 'commands', 'queries', 'rules'],
  queries: ['queries', 'workroom', 'rules'],
  rules: ['rules'],
}

interface Place {
  room: Room
  /** The service it belongs to, where it belongs to one. */
  service?: string
}

/** Every violation in a set of files; paths are relative to the root of the checkout, with forward slashes. */
export function findViolations(files: { path: string; text: string }[]): Violation[] {
  return files.flatMap(({ path, text }) => {
    const source = readSource(path, text)
    const inCode = path.endsWith('.ts') ? [...checkImports(source), ...checkContents(source)] : []
    return [...checkName(path), ...inCode, ...checkColumns(source)]
  })
}

function placeOf(path: string): Place {
  const [top, service = '', ...rest] = path.split('/')
  // The name and version of the product.
  if (path === 'package.json') return { room: 'manifest' }
  if (/\.test\.ts$|\/(testing|conformance)(\/|\.ts$)/.test(path)) return { room: 'tests' }
  if (top === 'scripts' || top === 'proto') return { room: top }
  if (service === 'kit' || service === 'all') return { room: service }
  const name = posix.basename(rest.at(-1) ?? '', '.ts')
  return { room: SERVICE_ROOMS.find((room) => room === name) ?? 'workroom', service }
}

const isServiceRoom = (room: Room): room is ServiceRoom => room in WITHIN_SERVICE

function checkImports(source: Source): Violation[] {
  const from = placeOf(source.path)
  if (from.room === 'tests' || from.room === 'scripts') return []
  return importsOf(source).flatMap((imported) => {
    const { specifier, line } = imported
    const rule = specifier.startsWith('.')
      ? refusedFile(from, placeOf(posix.join(posix.dirname(source.path), specifier)), imported)
      : refusedPackage(from, specifier)
    return rule ? [{ path: source.path, line, rule }] : []
  })
}

function refusedFile(from: Place, to: Place, { specifier, names }: Import): string | undefined {
  const refusal = (why: string) => `imports ${specifier}: ${why}`
  if (to.room === 'tests') return refusal('only tests import test support')
  if (to.room === 'scripts') return refusal('only scripts import scripts')
  if (to.room === 'proto') return undefined
  if (from.room === 'proto') return refusal('proto imports only proto and TypeBox')
  if (from.room === 'rules' && to.room !== 'rules') return refusal('rules import only proto and other rules')
  if (to.room === 'kit' || to.room === 'manifest') return undefined
  if (from.room === 'kit') return refusal('kit imports only proto')
  if (to.room === 'all') return from.room === 'all' ? undefined : refusal('nothing imports services/all')
  if (!isServiceRoom(to.room)) return undefined
  if (from.room === 'all') {
    const open = to.room === 'service' || to.room === 'config'
    return open ? undefined : refusal("services/all imports a service's service.ts and config.ts alone")
  }
  if (from.service !== to.service) return refusal('services never import each other')
  if (from.room === 'queries' && to.room === 'rules') {
    // A limit that SQL compares with is written once, in the rules; what they decide is asked by commands.
    const valuesAlone = names?.every(({ name, isType }) => isType || /^[A-Z][A-Z0-9_]*$/.test(name))
    return valuesAlone ? undefined : refusal('queries take constants and types from rules, never decisions')
  }
  if (!isServiceRoom(from.room) || WITHIN_SERVICE[from.room].includes(to.room)) return undefined
  return refusal(
    `${from.room} does not import ${to.room}: main → service → routes → commands → rules | queries → proto`,
  )
}

function refusedPackage({ room }: Place, specifier: string): string | undefined {
  if (room === 'proto' && !/^@sinclair\/typebox(\/|$)/.test(specifier)) {
    return `imports ${specifier}: proto imports only proto and TypeBox`
  }
  if (room === 'rules') return `imports ${specifier}: rules import only proto and other rules`
  if ((room === 'commands' || room === 'queries') && /^(elysia|@elysiajs)(\/|$)/.test(specifier)) {
    return `imports ${specifier}: ${room} know nothing of HTTP`
  }
  return undefined
}

interface ContentRule {
  pattern: RegExp
  rule: string
  applies: (room: Room, path: string) => boolean
}

const CONTENT_RULES: ContentRule[] = [
  {
    pattern: /(?<![.\w])(?:process|Bun|import\.meta)\.env\b/g,
    rule: 'the environment is read in main.ts alone',
    applies: (room, path) => room !== 'scripts' && room !== 'tests' && !/^services\/[^/]+\/main\.ts$/.test(path),
  },
  {
    pattern: /\bDate\.now\b|\bnew Date\s*(?:\(\s*\)|(?![\s(]))|\bperformance\.\w/g,
    rule: 'rules never read the clock: pass `now`',
    applies: (room) => room === 'rules',
  },
  {
    pattern:
      /\b(?:fetch|setTimeout|setInterval|queueMicrotask)\s*\(|(?<![.\w])(?:Bun\.(?!CryptoHasher)|process\.|crypto\.|console\.)|\bMath\.random\b|\bawait\b/g,
    rule: 'rules are pure: no I/O, no chance, no waiting',
    applies: (room) => room === 'rules',
  },
  {
    pattern: /\b(?:sql|tx)\b(?:<[^`;]*?>)?`/g,
    rule: 'SQL is written in queries',
    applies: (room) => room === 'routes' || room === 'service' || room === 'main',
  },
  {
    pattern: /\.(?:begin|savepoint)\s*\(/g,
    rule: 'transactions are begun in commands',
    applies: (room) => room === 'routes' || room === 'service' || room === 'main',
  },
]

function checkContents({ path, bare }: Source): Violation[] {
  const { room } = placeOf(path)
  return CONTENT_RULES.filter(({ applies }) => applies(room, path)).flatMap(({ pattern, rule }) =>
    [...bare.matchAll(pattern)].map((match) => ({ path, line: lineAt(bare, match.index), rule })),
  )
}

function checkColumns({ path, code }: Source): Violation[] {
  return [...code.matchAll(/\bselect\s+(?:\w+\.)?\*/gi)].map((match) => ({
    path,
    line: lineAt(code, match.index),
    rule: 'a select lists its columns',
  }))
}

/** Names that say nothing about the domain collect whatever does. */
const EMPTY_NAMES = new Set(['util', 'utils', 'common', 'helper', 'helpers', 'manager', 'managers', 'misc'])

function checkName(path: string): Violation[] {
  const empty = path.split('/').find((part) => part.split(/[.\-_]/).some((word) => EMPTY_NAMES.has(word.toLowerCase())))
  return empty ? [{ path, line: 1, rule: `${empty} is no name: name it by its domain` }] : []
}
