import { DAY_MS } from '../../../proto/durations.ts'

export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

export const euros = (amount: string) => ({ amount, currency: 'EUR' as const })
