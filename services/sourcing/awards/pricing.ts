import { DAY_MS, dayOf, timeAfter } from '../../../proto/durations.ts'
/** A price that applies from a quantity on. Amounts are decimal strings. */
export interface PriceBreak {
  minQuantity: number
  unitPrice: string
  leadTimeDays: number
}

/** The break with the highest `minQuantity` that is not above the quantity; none for a quantity below every break. */
export const breakFor = <Break extends { minQuantity: number }>(
  breaks: readonly Break[],
  quantity: number,
): Break | undefined =>
  breaks
    .filter(({ minQuantity }) => minQuantity <= quantity)
    .reduce<Break | undefined>((best, one) => (best && best.minQuantity > one.minQuantity ? best : one), undefined)

/** The date (UTC) that is the lead time after a time. */
export const dueDateOf = (time: string, leadTimeDays: number): string => dayOf(timeAfter(time, leadTimeDays * DAY_MS))
