/** A measured figure. */
export interface Row {
  what: string
  ours: string
  reference: string
  result: number
  unit?: 'µs' | 'ms' | 'MB'
  /** Printed after the result. */
  note?: string
  /** Absent for a figure without a target. */
  wanted?: { atLeast: number } | { atMost: number }
}

/** Works for some seconds and returns how much it did in one second. */
export type Run = (seconds: number) => Promise<number>

/** One side of a comparison in several variants, such as numbers of connections; the fastest is measured. */
export type Side = Readonly<Record<string, Run>>

/** A side with a variant for each number of clients or connections. */
export const sideOf = (unit: string, counts: readonly number[], runOf: (count: number) => Run): Side =>
  Object.fromEntries(counts.map((count) => [`${count} ${unit}`, runOf(count)]))

export interface Pace {
  rounds: number
  /** How long each side works in each round. */
  seconds: number
}

interface RateComparison {
  what: string
  ours: Side
  references: readonly { name: string; side: Side; atLeast: number }[]
  pace: Pace
}

/** Measures our rate against references in interleaved rounds; each reference has a row. */
export async function* compareRates({ what, ours, references, pace }: RateComparison): AsyncGenerator<Row> {
  const variants: string[] = []
  const runs: Run[] = []
  for (const side of [ours, ...references.map(({ side }) => side)]) {
    const [variant, run] = await fastest(side)
    variants.push(variant)
    runs.push(run)
  }
  const rates = await inRounds(pace, runs)
  const described = rates.map((some, at) => `${count(Math.round(median(some)))}/s, ${variants[at]}`)
  for (const [at, { name, atLeast }] of references.entries()) {
    const ratios = (rates[0] ?? []).map((rate, round) => rate / (rates[at + 1]?.[round] ?? Number.NaN))
    yield {
      what: `${what} ÷ ${name}`,
      ours: described[0] ?? '',
      reference: described[at + 1] ?? '',
      result: median(ratios),
      note: `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      wanted: { atLeast },
    }
  }
}

async function fastest(side: Side): Promise<readonly [variant: string, run: Run]> {
  const variants = Object.entries(side)
  const runs = Object.values(side)
  const rates = runs.length > 1 ? (await inRounds({ rounds: 1, seconds: 1 }, runs)).flat() : [0]
  const best = variants[rates.indexOf(Math.max(...rates))]
  if (!best) throw new Error('a side of a comparison has no variant')
  return best
}

/**
 * Takes every measurement in every round, in alternating order, so that a disturbance of the machine affects all alike.
 * Returns the figures of each measurement, one for each round.
 */
export async function inRounds({ rounds, seconds }: Pace, measurements: readonly Run[]): Promise<number[][]> {
  const figures: number[][] = measurements.map(() => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...measurements.entries()]
    for (const [at, measure] of round % 2 === 0 ? order : order.toReversed()) figures[at]?.push(await measure(seconds))
  }
  return figures
}

/** Rounds of measurements that take as long as their work. */
export const rounds = (rounds: number): Pace => ({ rounds, seconds: 0 })

/** The figures of two times, in milliseconds, that are measured in turns. */
export async function timeRatio(pace: Pace, ours: Run, reference: Run): Promise<Omit<Row, 'what' | 'wanted'>> {
  const [own, other] = (await inRounds(pace, [ours, reference])).map(median)
  const result = (own ?? Number.NaN) / (other ?? Number.NaN)
  return { ours: `${own?.toFixed(1)} ms`, reference: `${other?.toFixed(1)} ms`, result }
}

/** The figures of the times of single requests; a share of 1 is their maximum. */
export function quantile(times: readonly number[], share: 0.95 | 1): Omit<Row, 'what' | 'reference' | 'wanted'> {
  const result = times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN
  return { ours: `${median(times).toFixed(1)} ms median`, result, unit: 'ms', note: share === 1 ? 'maximum' : 'p95' }
}

/** The time of some work in milliseconds. */
export async function msOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** The median; of an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** A number with separators of thousands. */
export const count = (value: number) => value.toLocaleString('en-US')
