const DAY_MS = 24 * 60 * 60 * 1000

export const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

export const euros = (amount: string) => ({ amount, currency: 'EUR' as const })
