import { median } from './figures.ts'

/** Something that works for some seconds and answers how much it did in one. */
export type Run = (seconds: number) => Promise<number>

export interface Pace {
  rounds: number
  /** How long each side works in each round. */
  seconds: number
}

/**
 * Lets every side work in every round, one after the other, and turns their order around from round to round: what the
 * machine does meanwhile hits all of them alike. Answers the rate of each side in each round.
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

/** Tries each way of running one side in turns, and answers the fastest: everybody competes at their best. */
export async function fastest<Name extends string>(ways: Readonly<Record<Name, Run>>, pace: Pace): Promise<Name> {
  const rates = await inRounds(ways, pace)
  const ranked = (Object.keys(ways) as Name[]).sort((a, b) => median(rates[b]) - median(rates[a]))
  const [best] = ranked
  if (best === undefined) throw new Error('there is nothing to choose from')
  return best
}
