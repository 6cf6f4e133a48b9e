import { type Static, Type } from '@sinclair/typebox'
import { CURRENCIES } from '../../currencies.ts'
import { closed, FORM, OneOf, Text } from '../shapes.ts'

/** A currency of ISO 4217. An error does not list them all. */
export const currency = (description: string) =>
  OneOf(CURRENCIES, { description, examples: ['EUR'], [FORM]: 'an ISO 4217 code of a currency in use, such as EUR' })

/** At most twelve digits before the point and four after it. */
export const Money = closed(
  {
    amount: Text(17, {
      minLength: 1,
      pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,4})?$',
      [FORM]: 'a decimal number of at most 12 digits before the point and 4 after it, such as 12.50',
      description: 'Decimal number.',
      examples: ['12.50'],
    }),
    currency: currency('ISO 4217 code.'),
  },
  { description: 'An amount of money.', examples: [{ amount: '12.50', currency: 'EUR' }] },
)
export type Money = Static<typeof Money>

/** A computed amount, which can have more digits. */
export const Total = closed(
  {
    amount: Type.String({ description: 'Decimal number.', examples: ['150.00'] }),
    currency: currency('ISO 4217 code.'),
  },
  { description: 'A computed amount of money.', examples: [{ amount: '150.00', currency: 'EUR' }] },
)
