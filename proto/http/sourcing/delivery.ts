import { type Static, Type } from '@sinclair/typebox'
import { closed, FORM, Line, Text } from '../shapes.ts'

const place = {
  locality: Line(100, { description: 'City or town.', examples: ['Esbjerg'] }),
  regionCode: Text(2, {
    minLength: 2,
    pattern: '^[A-Z]{2}$',
    [FORM]: 'two capital letters, such as DK',
    description: 'Country: the `deliveryRegionCode` of the RFQ.',
    examples: ['DK'],
  }),
}
const addressLines = Type.Array(Line(200, { description: 'A line of the address.', examples: ['Dokvej 12'] }), {
  minItems: 1,
  maxItems: 5,
  description: 'Street, building and the like.',
  examples: [['Dokvej 12', 'Gate 3']],
})
const recipient = Line(200, { description: 'Recipient.', examples: ['Esbjerg Ship Repair, goods receipt'] })
const postalCode = Line(20, { description: 'Postal code.', examples: ['6700'] })

/** Where an order is delivered. */
export const Delivery = closed(
  { name: recipient, lines: addressLines, postalCode: Type.Optional(postalCode), ...place },
  {
    description: 'Address of the delivery.',
    examples: [
      {
        name: 'Esbjerg Ship Repair, goods receipt',
        lines: ['Dokvej 12', 'Gate 3'],
        postalCode: '6700',
        locality: 'Esbjerg',
        regionCode: 'DK',
      },
    ],
  },
)
export type Delivery = Static<typeof Delivery>

/** The delivery of an RFQ as its readers see it. */
export const SharedDelivery = closed(
  { ...Type.Partial(closed({ name: recipient, lines: addressLines, postalCode })).properties, ...place },
  { description: 'Address of the delivery. All but the consumer see only locality and country before the order.' },
)
