import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, ItemsOf } from '../shapes.ts'
import { Offer, OfferInput } from './offers.ts'
import { MAX_LINES, packageId, packagesTag, path } from './rfq-packages.ts'

/** Price breaks of all lines of one request. */
export const MAX_PACKAGE_BREAKS = 1000

export const PackageOffersInput = Type.Partial(
  closed({
    lines: Type.Array(OfferInput, {
      minItems: 1,
      maxItems: MAX_LINES,
      description: `An offer for each of these RFQs of the package, each RFQ once, with at most ${MAX_PACKAGE_BREAKS} price breaks together.`,
    }),
    csv: Type.String({
      minLength: 1,
      description: 'The offers as a CSV file, instead of `lines`. A `text/csv` body is the file itself.',
      examples: [
        'rfqId,factoryId,minQuantity,unitPrice,leadTimeDays,validUntil\nrfq_01J,factory_01J,10,95.5,28,2031-06-29',
      ],
    }),
    submit: Type.Boolean({
      description: 'Submits the offers, which needs `offer:submit`. Default false: they are drafts.',
      examples: [true],
    }),
  }),
  { description: 'Offers for lines of a package: `lines`, or `csv`.' },
)
export type PackageOffersInput = Static<typeof PackageOffersInput>

export const listPackageOffers = defineOperation({
  ...listOf(Offer),
  id: 'listPackageOffers',
  path: `${path}/{id}/offers`,
  tag: packagesTag,
  summary: 'List your offers for an RFQ package',
  description: 'Newest first, for a manufacturer that is invited to a published line: its own offers for its lines.',
  access: 'token',
  params: packageId,
})

export const offerForRfqPackage = defineOperation({
  id: 'offerForRfqPackage',
  method: 'POST',
  path: `${path}/{id}/offers`,
  tag: packagesTag,
  summary: 'Draft or submit offers for an RFQ package',
  description:
    'By an invited manufacturer. For each line it replaces the content of your newest DRAFT for the RFQ; else it revises your newest SUBMITTED offer; else it drafts a new one. With `submit` it submits them. All or nothing: if a line is refused, `errors` name it (`lines.3.factoryId`), and nothing changes. The rules are those of the single offers. A CSV file has a row for each line and price break, as the template; rows without `unitPrice` and `leadTimeDays` are skipped, and problems name the row (`rows.7.unitPrice`). Prices have a decimal point, or a comma where it is unambiguous.',
  access: 'offer:create',
  params: packageId,
  query: Type.Object({
    submit: Type.Optional(
      Type.Boolean({ description: 'Submits the offers of a `text/csv` body, like the field.', examples: [true] }),
    ),
  }),
  body: PackageOffersInput,
  csv: true,
  response: ItemsOf(Offer),
  refusals: ['illegal_transition', 'limit_reached'],
  // Prices are not logged, because an audit log must not disclose a sealed bid.
  audit: { procedure: 'rfqPackage.offer', request: ['id', 'submit', 'offerIds'] },
})

export const getPackageOfferTemplate = defineOperation({
  id: 'getPackageOfferTemplate',
  method: 'GET',
  path: `${path}/{id}/offers/template`,
  tag: packagesTag,
  summary: 'Get a template for offers for an RFQ package',
  description:
    'A spreadsheet file (CSV, RFC 4180) with a row for each of your OPEN lines and each of its quantities, to be filled in. A cell that a spreadsheet would read as a formula begins with an apostrophe.',
  access: 'token',
  params: packageId,
  response: Type.String({ description: 'CSV.' }),
  mediaType: 'text/csv',
})
