import { type Static, Type } from '@sinclair/typebox'
import { RFQ_STATES } from '../../states/rfqs.ts'
import { defineOperation } from '../operation.ts'
import { closed, FORM, Int32, OneOf, Text } from '../shapes.ts'
import { ComparedOffer } from './comparison.ts'
import { currency, Total } from './money.ts'
import { MAX_LINES, packageId, packagesTag, path } from './rfq-packages.ts'

const EXAMPLE_RFQ = 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_OFFER = 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_MAKER = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'

const manufacturerOrgId = Type.String({
  description: 'Organization that makes the offer.',
  examples: [EXAMPLE_MAKER],
})
const rfqId = Type.String({ description: 'RFQ of the line.', examples: [EXAMPLE_RFQ] })
const offerId = Type.String({ description: 'Id of the offer.', examples: [EXAMPLE_OFFER] })
const integer = (description: string, example: number) => Int32(description, example, { minimum: 0 })

const { isOutdated, unpriced, unitPrice, leadTimeDays, toolingCost, shippingCost, landedTotal, validUntil } =
  ComparedOffer.properties

const PackageOffer = closed(
  {
    offerId,
    manufacturerOrgId,
    state: OneOf(['SUBMITTED', 'ACCEPTED', 'REJECTED'], {
      description: 'State of the offer. REJECTED: it was not chosen when the line was awarded, or rejected before.',
      examples: ['SUBMITTED'],
    }),
    isOutdated,
    unpriced,
    unitPrice,
    leadTimeDays,
    toolingCost,
    shippingCost,
    landedTotal,
    validUntil,
    offerCount: Int32('Number of offers by the manufacturer for this line. The cheapest one is shown.', 1, {
      minimum: 1,
    }),
  },
  {
    description:
      'The offer of a manufacturer for a line at its quantity: an ACCEPTED one, else the cheapest that can be awarded or, of an AWARDED line, was not chosen. Without prices it is the newest one.',
  },
)
export type PackageOffer = Static<typeof PackageOffer>

const ComparedLine = closed({
  rfqId,
  partId: Type.String({ description: 'Part of the line.', examples: ['part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  partTitle: Type.Optional(Type.String({ description: 'Title of the part.', examples: ['Impeller'] })),
  state: OneOf(RFQ_STATES, { description: 'State of the RFQ.', examples: ['CLOSED'] }),
  quantity: Int32('Compared quantity.', 50, { minimum: 1 }),
  offers: Type.Array(PackageOffer, { description: 'At most one for each manufacturer, in the order of `makers`.' }),
})
export type ComparedLine = Static<typeof ComparedLine>

const ComparedMaker = closed({
  manufacturerOrgId,
  manufacturerName: Type.String({ description: 'Name of this organization.', examples: ['Vestland Additive'] }),
  askedLines: integer('Published lines, not CANCELLED, to which it is invited.', 12),
  offeredLines: integer(
    'Those for which it has a current, valid offer, or an offer that was accepted or not chosen.',
    10,
  ),
  total: Type.Optional({
    ...Total,
    description: 'Total of its offers that can be awarded. Absent without one, and while a line is sealed and OPEN.',
  }),
})
export type ComparedMaker = Static<typeof ComparedMaker>

export const CHOICES = ['CHEAPEST', 'ONE_MAKER', 'FASTEST'] as const
export type ChoiceKind = (typeof CHOICES)[number]

const Choice = closed(
  {
    kind: OneOf(CHOICES, {
      description:
        'CHEAPEST: the lowest total of each line. ONE_MAKER: the manufacturer with the lowest total of all lines; absent if none offers every line. FASTEST: the shortest lead time of each line, then the lowest total. An offer without tooling or shipping is not cheaper than one for the same line that states it.',
      examples: ['CHEAPEST'],
    }),
    awards: Type.Array(
      closed({
        rfqId,
        offerId,
        quantity: Int32('Compared quantity.', 50, { minimum: 1 }),
      }),
      { maxItems: MAX_LINES, description: 'The chosen offers, in the form that `award` takes.' },
    ),
    total: Total,
    leadTimeDays: integer('Days until the last of them is delivered.', 28),
    manufacturerOrgIds: Type.Array(manufacturerOrgId, {
      description: 'The chosen manufacturers, in the order of `makers`.',
    }),
    missingLines: integer('Lines that can be awarded and have no such offer.', 0),
  },
  {
    description:
      'A choice of one offer for each line that is OPEN or CLOSED. Its total is unit price times quantity, tooling and shipping.',
  },
)
export type Choice = Static<typeof Choice>

export const PackageComparison = closed({
  packageId: Type.String({ description: 'Id of the package.', examples: ['package_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  currency: currency('Currency of all amounts.'),
  isSealed: Type.Boolean({
    description: 'Whether a line is sealed and OPEN. Until it has closed, there are no prices, totals or choices.',
    examples: [false],
  }),
  makers: Type.Array(ComparedMaker, { description: 'Invited manufacturers, by name.' }),
  lines: Type.Array(ComparedLine, { maxItems: MAX_LINES, description: 'Lines of the package, in its order.' }),
  choices: Type.Array(Choice, { maxItems: CHOICES.length, description: 'Choices with at least one line.' }),
})
export type PackageComparison = Static<typeof PackageComparison>

const PAIR = '[A-Za-z0-9._-]{1,64}:[1-9][0-9]{0,9}'

const comparisonQuery = Type.Object({
  quantities: Type.Optional(
    Text(8000, {
      pattern: `^${PAIR}(,${PAIR}){0,${MAX_LINES - 1}}$`,
      [FORM]: `up to ${MAX_LINES} pairs of an RFQ and a number of pieces, such as rfq_01JZ8Q:10,rfq_01JZ8R:20`,
      description:
        'Quantities of lines: `rfqId:quantity`, separated by commas. Default for each line: its largest quantity.',
      examples: [`${EXAMPLE_RFQ}:10`],
    }),
  ),
})

export const getPackageComparison = defineOperation({
  id: 'getPackageComparison',
  method: 'GET',
  path: `${path}/{id}/comparison`,
  tag: packagesTag,
  summary: 'Compare the offers of an RFQ package',
  description:
    'For the consumer: manufacturers and lines with the price at each quantity, and three choices with their totals. Only SUBMITTED, current and valid offers of lines that are OPEN or CLOSED are chosen.',
  access: 'token',
  params: packageId,
  query: comparisonQuery,
  response: PackageComparison,
})

export const exportPackageComparison = defineOperation({
  id: 'exportPackageComparison',
  method: 'GET',
  path: `${path}/{id}/comparison/export`,
  tag: packagesTag,
  summary: 'Export the comparison of an RFQ package',
  description:
    'The comparison as a spreadsheet file (CSV, RFC 4180) with a row for each line and a column for each manufacturer. A cell that a spreadsheet would read as a formula begins with an apostrophe.',
  access: 'token',
  params: packageId,
  query: comparisonQuery,
  response: Type.String({ description: 'CSV.' }),
  mediaType: 'text/csv',
})
