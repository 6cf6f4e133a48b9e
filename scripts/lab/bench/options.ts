import { parseArgs } from 'node:util'
import { CommandError } from '../../toolchain/command-error.ts'
import type { Pace } from './compare.ts'

const MIN_PARTS = 100_000
const MAX_PARTS = 10_000_000

const usageOf = (
  sections: readonly string[],
  onRequest: readonly string[],
) => `Usage: bun run bench [--quick] [--parts=<number>] [<section>…]

Measures the five services over HTTP, each in a process of its own on an embedded Postgres, in interleaved rounds with
references, and prints one table of ratios. Signed in, with request limits, log lines and metrics as in production.
The first run loads a million parts, a million users and ten million audit entries, and for the section trade a million RFQs
with three million offers and a million orders, and for webhooks ten million deliveries, which takes about an hour; they are
kept under .dev/bench.

  --quick     100,000 parts, users and RFQs, a million audit entries, and shorter and fewer rounds
  --parts=n   number of parts and RFQs, ${MIN_PARTS} to ${MAX_PARTS}; ten million parts, with a million users and ten million
              audit entries, take half an hour to load and 53 GB
  <section>   measures only these: ${sections.join(', ')};
              or, only where it is named: ${onRequest.join(', ')}
  --help      prints this

A ratio is the median over rounds, with the smallest and the largest in brackets. A figure that misses the wanted value is
marked "short". A section that fails has a row with the reason, the others keep their figures, and the exit code is 1. Run
it on an idle machine. It needs pgbench, which is among the client tools of Postgres (Debian: postgresql-contrib), for the
ratios to the database, and Go for one of the references.
`

interface Options {
  sections: readonly string[]
  parts: number
  pace: Pace
}

/** Reads the command line; returns the usage where --help asks for it. */
export function readOptions(
  args: string[],
  sections: readonly string[],
  onRequest: readonly string[] = [],
): Options | string {
  const known = [...sections, ...onRequest]
  const usage = usageOf(sections, onRequest)
  try {
    const { values, positionals } = parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        parts: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
      allowPositionals: true,
    })
    if (values.help) return usage
    const unknown = positionals.find((name) => !known.includes(name))
    if (unknown !== undefined) throw new Error(`Unknown section ${unknown}`)
    const { quick, parts = String(quick ? MIN_PARTS : 1_000_000) } = values
    if (!/^\d+$/.test(parts) || Number(parts) < MIN_PARTS || Number(parts) > MAX_PARTS) {
      throw new Error(`--parts=${parts}: expected a number from ${MIN_PARTS} to ${MAX_PARTS}.`)
    }
    return {
      sections: positionals.length > 0 ? known.filter((name) => positionals.includes(name)) : sections,
      parts: Number(parts),
      pace: quick ? { rounds: 3, seconds: 1 } : { rounds: 5, seconds: 2 },
    }
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
}
