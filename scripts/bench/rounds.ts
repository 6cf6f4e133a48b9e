import { median } from './figures.ts'

/** Works for some seconds and returns how much it did in one second. */
export type Run = (seconds: number) => Promise<number>

export interface Pace {
  rounds: number
  /** How long each side works in each round. */
  seconds: number
}

/**
 * Runs every side in every round, in alternating order, so that a disturbance of the machine affects all
 * sides alike. Returns the rate of each side in each round.
 */
export async function inRounds<Name extends string>(
  sides: Readonly<Record<Name, Run>>,
  { rounds, seconds }: Pace,
): Promise<Record<Name, number[]>> {
  const order = Object.keys(sides) as Name[]
  const rates = Object.fromEntries(order.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? order : order.toReversed()) rates[name].push(await sides[name](seconds))
  }
  return rates
}

/** The variant with the highest median rate. */
export async function fastest<Name extends string>(variants: Readonly<Record<Name, Run>>, pace: Pace): Promise<Name> {
  const rates = await inRounds(variants, pace)
  const [best] = (Object.keys(variants) as Name[]).sort((a, b) => median(rates[b]) - median(rates[a]))
  if (best === undefined) throw new Error('there is no variant to choose from')
  return best
}
