import type { BillingDetails } from '../../../proto/http/sourcing/billing-details.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { PrintedLanguage } from '../../../proto/http/sourcing/printed-documents.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { Shipment } from '../../../proto/http/sourcing/shipments.ts'
import type { PrintedKind } from '../../../proto/states/printed-documents.ts'
import { multiply, sum } from '../money/money.ts'
import { type Formats, formatsOf } from './formats.ts'
import { type Block, type Sheet, TEXT_WIDTH } from './paper.ts'
import type { PrintedRow } from './queries.ts'
import { TEXTS, type Texts } from './texts.ts'

interface Printed extends Omit<PrintedRow, 'document' | 'shipment'> {
  order: Order
  /** The shipment of a packing list; undefined for one of the whole order. */
  shipment?: Shipment | undefined
}

interface Options {
  kind: PrintedKind
  language: PrintedLanguage
  now: string
}

/** What the parts of a document are made of. */
interface Source extends Printed {
  kind: PrintedKind
  texts: Texts
  formats: Formats
}

type Row = [label: string, value: string | undefined | null]

const HALF = [TEXT_WIDTH / 2, TEXT_WIDTH / 2]
const FACT = [TEXT_WIDTH * 0.3, TEXT_WIDTH * 0.7]
const LINE_ITEM = [0.42, 0.16, 0.2, 0.22].map((share) => TEXT_WIDTH * share)
const SUM = [TEXT_WIDTH * 0.75, TEXT_WIDTH * 0.25]

/** The document of an order, from what its reader may read. */
export function sheetOf(printed: Printed, { kind, language, now }: Options): Sheet {
  const texts = TEXTS[language]
  const formats = formatsOf(texts)
  const source = { ...printed, kind, texts, formats }
  const { serialNumber } = printed.order
  const title = texts.titles[kind]
  return {
    title: `${title} ${serialNumber}`,
    time: now,
    blocks: [
      { kind: 'row', cells: [{ text: title, font: 'bold', size: 18 }], widths: [TEXT_WIDTH] },
      space(6),
      ...facts(source),
      space(10),
      ...parties(source),
      ...delivery(source),
      space(10),
      ...(kind === 'PACKING_LIST' ? pieces(source) : prices(source)),
      space(10),
      ...terms(source),
    ],
    missingNote: texts.missing,
    cutNote: texts.cut,
    footer: (page, pages) =>
      `${texts.asOf(`${texts.order} ${serialNumber}`, formats.day(now))} – ${texts.page(page, pages)}`,
  }
}

const space = (height: number): Block => ({ kind: 'space', height })

const heading = (text: string): Block => ({ kind: 'row', cells: [{ text, font: 'bold' }], widths: [TEXT_WIDTH] })

const line = (text: string): Block => ({ kind: 'row', cells: [{ text }], widths: [TEXT_WIDTH] })

/** Labels with their values; those without a value are left out. */
const listed = (rows: readonly Row[]): Block[] =>
  rows.flatMap(([label, value]): Block[] =>
    value === undefined || value === null || value === ''
      ? []
      : [{ kind: 'row', cells: [{ text: label, font: 'bold' }, { text: value }], widths: FACT }],
  )

const facts = ({ order, reference, texts, formats }: Source): Block[] =>
  listed([
    [texts.order, order.serialNumber],
    [texts.state, texts.states[order.state as keyof Texts['states']]],
    [texts.purchaseOrderNumber, order.purchaseOrderNumber],
    [texts.reference, reference],
    [texts.orderDate, formats.day(order.createdTime)],
    [texts.dueDate, formats.day(order.dueDate)],
  ])

/** The organizations of the order, two beside each other. */
function parties(source: Source): Block[] {
  const { order, texts } = source
  const { consumerOrgId, sellerOrgId, manufacturerOrgId, ipOwnerOrgId, distributorOrgId } = order
  const columns = [
    partyOf(source, texts.buyer, consumerOrgId),
    partyOf(source, texts.seller, sellerOrgId),
    ...(manufacturerOrgId === sellerOrgId ? [] : [partyOf(source, texts.manufacturer, manufacturerOrgId)]),
    ...(source.kind === 'PACKING_LIST' ? [] : [partyOf(source, texts.ipOwner, ipOwnerOrgId)]),
    ...(source.kind === 'PACKING_LIST' || distributorOrgId === undefined
      ? []
      : [partyOf(source, texts.distributor, distributorOrgId)]),
  ]
  return columns.flatMap((left, index) => (index % 2 === 0 ? sideBySide(left, columns[index + 1] ?? []) : []))
}

/** Two lists of lines, of which the first lines are headings. */
const sideBySide = (left: readonly string[], right: readonly string[]): Block[] => [
  ...Array.from(
    { length: Math.max(left.length, right.length) },
    (_, index): Block => ({
      kind: 'row',
      cells: [left, right].map((lines) => ({ text: lines[index] ?? '', font: index === 0 ? 'bold' : 'regular' })),
      widths: HALF,
    }),
  ),
  space(8),
]

/** An organization, with its billing details where prices are shown. */
function partyOf({ kind, names, billing, texts, formats }: Source, role: string, orgId: string): string[] {
  const details = kind === 'PACKING_LIST' ? undefined : billing?.[orgId]
  return [role, names[orgId] ?? orgId, ...(details ? billingLines(details, texts, formats) : [])]
}

function billingLines(
  { companyName, address, taxId, email, reference }: BillingDetails,
  texts: Texts,
  formats: Formats,
) {
  return [
    companyName,
    ...address.lines,
    placeOf(address, formats),
    ...(taxId === undefined ? [] : [`${texts.taxId}: ${taxId}`]),
    ...(email === undefined ? [] : [email]),
    ...(reference === undefined ? [] : [`${texts.billingReference}: ${reference}`]),
  ]
}

interface Place {
  postalCode?: string
  locality: string
  regionCode: string
}

const placeOf = ({ postalCode, locality, regionCode }: Place, { region }: Formats) =>
  `${postalCode === undefined ? '' : `${postalCode} `}${locality}, ${region(regionCode)}`

/** The address; without one the country, for those that can read the RFQ. */
function delivery({ order, rfq, texts, formats }: Source): Block[] {
  const { delivery: to } = order
  const { deliveryRegionCode: country }: Partial<Rfq> = rfq === null ? {} : JSON.parse(rfq)
  if (!to) return country === undefined ? [] : [heading(texts.delivery), line(formats.region(country))]
  return [heading(texts.delivery), ...[to.name, ...to.lines, placeOf(to, formats)].map(line)]
}

/** The part as it was quoted, in lines. */
function partLines({ part, texts }: Source): string[] {
  if (!part) return []
  const { serialNumber, title, revision, material, process } = part
  return [
    ...(title === null ? [] : [title]),
    `${serialNumber}, ${texts.revision} ${revision}`,
    ...(material === null ? [] : [`${texts.material}: ${material}`]),
    ...(process === null ? [] : [`${texts.process}: ${process}`]),
  ]
}

/** A table with the part as its only line. */
function table(
  labels: readonly string[],
  values: readonly string[],
  source: Source,
  widths: readonly number[],
): Block[] {
  const [first = '', ...others] = partLines(source)
  const right = (font: 'regular' | 'bold') => (text: string) => ({ text, font, align: 'right' as const })
  return [
    { kind: 'row', cells: [{ text: source.texts.part, font: 'bold' }, ...labels.map(right('bold'))], widths },
    { kind: 'rule' },
    { kind: 'row', cells: [{ text: first }, ...values.map(right('regular'))], widths },
    ...others.map((text): Block => ({ kind: 'row', cells: [{ text }], widths })),
    { kind: 'rule' },
  ]
}

/** The quantities of the order, or of one shipment of it. */
function pieces(source: Source): Block[] {
  const { order, shipment, texts, formats } = source
  const columns: [label: string, count: number][] = [
    [texts.ordered, order.quantity],
    [texts.shipped, order.shippedQuantity ?? 0],
    ...(shipment ? [[texts.inShipment, shipment.quantity] as [string, number]] : []),
  ]
  const widths = [0.46, 0.16, 0.18, 0.2].slice(0, columns.length + 1).map((share) => TEXT_WIDTH * share)
  return table(
    columns.map(([label]) => label),
    columns.map(([, count]) => formats.count(count)),
    source,
    widths,
  )
}

function prices(source: Source): Block[] {
  const { order, texts, formats } = source
  const { quantity, unitPrice, toolingCost, shippingCost, total, sellerFee, settledTotal, cancellationFee } = order
  const owed = settledTotal ?? total
  const { count, money } = formats
  const amount = money({ ...unitPrice, amount: multiply(unitPrice.amount, quantity) })
  const sums: Row[] = [
    [texts.tooling, toolingCost && money(toolingCost)],
    [texts.shipping, shippingCost && money(shippingCost)],
    [texts.total, money(total)],
    [texts.settledTotal, settledTotal && money(settledTotal)],
    [texts.sellerFee, sellerFee && money(sellerFee)],
    [texts.totalWithFee, sellerFee && money({ ...owed, amount: sum(owed.amount, sellerFee.amount) })],
    [texts.cancellationFee, cancellationFee && money(cancellationFee)],
  ]
  return [
    ...table(
      [texts.quantity, texts.unitPrice, texts.amount],
      [count(quantity), money(unitPrice), amount],
      source,
      LINE_ITEM,
    ),
    ...sums.flatMap(([label, value]): Block[] => {
      if (!value) return []
      const font = label === texts.total ? 'bold' : 'regular'
      const cells = [label, value].map((text) => ({ text, font, align: 'right' }) as const)
      return [{ kind: 'row', cells, widths: SUM }]
    }),
  ]
}

function terms({ kind, order, rfq, shipment, texts, formats }: Source): Block[] {
  const { incoterm, requiredDocuments = [] }: Partial<Rfq> = rfq === null ? {} : JSON.parse(rfq)
  const { carrier, trackingNumber } = shipment ?? order
  const isPacked = kind === 'PACKING_LIST'
  return listed([
    [texts.paymentTerms, isPacked ? undefined : order.paymentTerms],
    [texts.incoterm, incoterm],
    [texts.requiredDocuments, requiredDocuments.map((name) => texts.documents[name]).join(', ')],
    [texts.shippedOn, shipment && formats.day(shipment.shippedTime)],
    [texts.carrier, isPacked ? carrier : undefined],
    [texts.trackingNumber, isPacked ? trackingNumber : undefined],
  ])
}
