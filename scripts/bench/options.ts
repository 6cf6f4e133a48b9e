import { parseArgs } from 'node:util'
import { Refusal } from '../toolchain/refusal.ts'
import type { Pace } from './compare.ts'
import type { Size } from './stage/database.ts'

const MIN_PARTS = 100_000
const MAX_PARTS = 10_000_000

export const usageOf = (sections: readonly string[]) => `Usage: bun run bench [--quick] [--parts=<number>] [<section>…]

Measures the five services over HTTP, each in a process of its own on an embedded Postgres, in interleaved rounds with
references, and prints one table of ratios. Signed in, with request limits, log lines and metrics as in production.
The first run loads a million parts, a million users and ten million audit entries, which takes some minutes; they are
kept under .dev/bench. Later runs take less than 20 minutes.

  --quick     100,000 parts and users, a million audit entries, and shorter and fewer rounds
  --parts=n   number of parts, ${MIN_PARTS} to ${MAX_PARTS}; ten million take an hour or two to load and 36 GB
  <section>   measures only these: ${sections.join(', ')}
  --help      prints this

A ratio is the median over rounds, with the smallest and the largest in brackets. A figure below the wanted value is marked
"short". A section that fails has a row with the reason, the others keep their figures, and the exit code is 1. Run it on an
idle machine. It needs pgbench, which is among the client tools of Postgres (Debian: postgresql-contrib), for the ratios to
the database, and Go for one of the references.
`

export interface Options {
  help: boolean
  sections: readonly string[]
  size: Size
  pace: Pace
}

/** Reads the command line; unknown words are refused. */
export function readOptions(args: string[], known: readonly string[]): Options {
  const refuse = (reason: string): never => {
    throw new Refusal(`${reason}\n\n${usageOf(known)}`)
  }
  const { values, positionals } = parse(args, refuse)
  const { quick = false, help = false } = values
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) refuse(`Unknown section ${unknown}`)
  const parts = Number(values.parts ?? (quick ? MIN_PARTS : 1_000_000))
  if (!/^\d*$/.test(values.parts ?? '') || !(parts >= MIN_PARTS && parts <= MAX_PARTS)) {
    refuse(`--parts=${values.parts}: expected a number from ${MIN_PARTS} to ${MAX_PARTS}.`)
  }
  return {
    help,
    sections: positionals.length > 0 ? known.filter((name) => positionals.includes(name)) : known,
    size: { parts, users: quick ? 100_000 : 1_000_000, auditEntries: quick ? 1_000_000 : 10_000_000 },
    pace: quick ? { rounds: 3, seconds: 1 } : { rounds: 5, seconds: 2 },
  }
}

function parse(args: string[], refuse: (reason: string) => never) {
  const flag = { type: 'boolean' } as const
  const options = { quick: flag, help: { ...flag, short: 'h' }, parts: { type: 'string' } } as const
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}
