import { Refusal } from '../toolchain/refusal.ts'

/** The sections in their order: memory first, directly after the start of the services. */
export const SECTIONS = [
  'memory',
  'parts',
  'pages',
  'create',
  'catalog',
  'users',
  'sign-in',
  'refresh',
  'audit',
  'uploads',
] as const
export type Section = (typeof SECTIONS)[number]

const MIN_PARTS = 100_000
const MAX_PARTS = 10_000_000

export const USAGE = `Usage: bun run bench [--quick] [--parts=<number>] [<section>…]

Measures the five services over HTTP, each in a process of its own on an embedded Postgres, in interleaved rounds with
references, and prints one table of ratios. Signed in, with request limits, log lines and metrics as in production.
The first run loads a million parts, a million users and ten million audit entries, which takes some minutes; they are
kept under .cache/bench. Later runs take less than 20 minutes.

  --quick     100,000 parts and users, a million audit entries, and shorter and fewer rounds
  --parts=n   number of parts, ${MIN_PARTS} to ${MAX_PARTS}; ten million take an hour or two to load and 36 GB
  <section>   measures only these: ${SECTIONS.join(', ')}
  --help      prints this

A ratio is the median over rounds, with the smallest and the largest in brackets. A figure below the wanted value is marked
"short". A section that fails has a row with the reason, the others keep their figures, and the exit code is 1. Run it on an
idle machine. It needs pgbench for the ratios to the database, and Go for one of the references.
`

export interface Options {
  quick: boolean
  parts: number
  help: boolean
  sections: ReadonlySet<Section>
}

/** Reads the command line; unknown words are refused. */
export function readOptions(words: readonly string[]): Options {
  const chosen = new Set<Section>()
  let quick = false
  let parts: number | undefined
  let help = false
  for (const word of words) {
    const section = SECTIONS.find((name) => name === word)
    if (section) chosen.add(section)
    else if (word === '--quick') quick = true
    else if (word.startsWith('--parts=')) parts = numberOfParts(word)
    else if (word === '--help' || word === '-h') help = true
    else throw new Refusal(`Unknown option ${word}\n\n${USAGE}`)
  }
  parts ??= quick ? MIN_PARTS : 1_000_000
  return { quick, parts, help, sections: chosen.size > 0 ? chosen : new Set(SECTIONS) }
}

function numberOfParts(word: string): number {
  const parts = Number(/^--parts=(\d+)$/.exec(word)?.[1])
  if (parts >= MIN_PARTS && parts <= MAX_PARTS) return parts
  throw new Refusal(`${word}: expected a number from ${MIN_PARTS} to ${MAX_PARTS}.`)
}
