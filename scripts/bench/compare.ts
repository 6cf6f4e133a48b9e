import type { Row } from './table.ts'

/** Works for some seconds and returns how much it did in one second. */
export type Run = (seconds: number) => Promise<number>

/** One side of a comparison in several variants, such as numbers of connections; the fastest is measured. */
export type Side = Readonly<Record<string, Run>>

export interface Pace {
  rounds: number
  /** How long each side works in each round. */
  seconds: number
}

export interface Comparison {
  what: string
  ours: Side
  references: readonly { name: string; side: Side; atLeast: number }[]
  pace: Pace
}

/** Measures our rate against references in interleaved rounds; each reference has a row. */
export async function* compareRates({ what, ours, references, pace }: Comparison): AsyncGenerator<Row> {
  const variants: string[] = []
  const runs: Run[] = []
  for (const side of [ours, ...references.map(({ side }) => side)]) {
    const [variant, run] = await fastest(side)
    variants.push(variant)
    runs.push(run)
  }
  const [own = [], ...others] = await inRounds(runs, pace)
  for (const [at, { name, atLeast }] of references.entries()) {
    const rates = others[at] ?? []
    const ratios = ratiosOf(own, rates)
    yield {
      what: `${what} ÷ ${name}`,
      ours: `${perSecond(own)}, ${variants[0]}`,
      reference: `${perSecond(rates)}, ${variants[at + 1]}`,
      result: spread(ratios),
      wanted: `≥ ${atLeast}`,
      met: median(ratios) >= atLeast,
    }
  }
}

async function fastest(side: Side): Promise<readonly [variant: string, run: Run]> {
  const variants = Object.entries(side)
  const runs = Object.values(side)
  const rates = runs.length > 1 ? (await inRounds(runs, { rounds: 1, seconds: 1 })).flat() : [0]
  const best = variants[rates.indexOf(Math.max(...rates))]
  if (!best) throw new Error('a side of a comparison has no variant')
  return best
}

/**
 * Runs every side in every round, in alternating order, so that a disturbance of the machine affects all sides alike.
 * Returns the rates of each side, one for each round.
 */
export async function inRounds(runs: readonly Run[], { rounds, seconds }: Pace): Promise<number[][]> {
  const rates: number[][] = runs.map(() => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...runs.entries()]
    for (const [at, run] of round % 2 === 0 ? order : order.toReversed()) rates[at]?.push(await run(seconds))
  }
  return rates
}

interface TimeRatio {
  what: string
  /** Milliseconds, one for each round. */
  ours: readonly number[]
  reference: readonly number[]
  atMost: number
}

/** Compares two times that were measured in turns. */
export function timeRatio({ what, ours, reference, atMost }: TimeRatio): Row {
  const ratio = median(ours) / median(reference)
  return {
    what,
    ours: `${median(ours).toFixed(1)} ms`,
    reference: `${median(reference).toFixed(1)} ms`,
    result: ratio.toFixed(2),
    wanted: `≤ ${atMost}`,
    met: ratio <= atMost,
  }
}

interface Times {
  what: string
  /** Milliseconds of each request. */
  times: readonly number[]
  /** Describes the data. */
  data: string
  statistic: 'p95' | 'maximum'
  atMostMs: number
}

/** Compares the times of single requests with a limit. */
export function timeLimit({ what, times, data, statistic, atMostMs }: Times): Row {
  const ms = quantile(times, statistic === 'p95' ? 0.95 : 1)
  return {
    what,
    ours: `${median(times).toFixed(1)} ms median`,
    reference: data,
    result: `${ms.toFixed(1)} ms ${statistic}`,
    wanted: `≤ ${atMostMs} ms`,
    met: ms <= atMostMs,
  }
}

/** The time of some work in milliseconds. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** The median; of an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

const ratiosOf = (ours: readonly number[], reference: readonly number[]) =>
  ours.map((rate, round) => rate / (reference[round] ?? Number.NaN))

const spread = (ratios: readonly number[]) =>
  `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`

const perSecond = (rates: readonly number[]) => `${Math.round(median(rates)).toLocaleString('en-US')}/s`
