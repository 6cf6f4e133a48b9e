import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { decimalText, sumOf } from '../amounts.ts'
import { at, command, market, type Offer, type OfferInput, type RfqPackage } from '../api.ts'
import type { Read } from '../data.ts'
import { saveFrom } from '../download.ts'
import { date, daysAfter, decimalSign, money, number, pieces, totalText } from '../format.ts'
import { permits } from '../me.ts'
import { counted, fill, t } from '../texts.ts'
import { Download } from '../ui/attempt.tsx'
import { Field, FieldProblem, Form, localDay, textOf, timeOf } from '../ui/form.tsx'
import { Table } from '../ui/list.tsx'
import { Facts, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { useFactoryChoices } from './factory-choices.ts'
import {
  COLUMNS,
  type Column,
  isPriced,
  type Line,
  lineOf,
  nameOf,
  type PackageLine,
  Rows,
  textsOf,
} from './package-sheet.tsx'
import { AcceptTerms, type Outdated, ReconfirmAll, readOffers, readOutdated } from './package-standing.tsx'
import { partOf } from './package-texts.ts'

/** The newest draft of each line, else its newest submitted offer. */
function currentOf(offers: readonly Offer[]): Map<string, Offer> {
  const found = new Map<string, Offer>()
  for (const offer of offers) {
    if (offer.state !== 'DRAFT' && offer.state !== 'SUBMITTED') continue
    const known = found.get(offer.rfqId)
    if (!known || (known.state === 'SUBMITTED' && offer.state === 'DRAFT')) found.set(offer.rfqId, offer)
  }
  return found
}

interface OfferTableProps {
  pkg: RfqPackage
  lines: readonly Line[]
  outdated: ReadonlyMap<string, Outdated>
  onSent: () => Promise<unknown>
}

function OfferTable({ pkg, lines, outdated, onSent }: OfferTableProps) {
  const { currency } = pkg
  const known = useRef(lines.find(({ current }) => current)?.current).current
  const factoryId = useSignal(known?.factoryId ?? '')
  const read = useFactoryChoices(known?.factoryId)
  const choices = read ?? []
  factoryId.value ||= choices[0]?.[0] ?? ''
  const told = useSignal('')
  /** The lines of the last request, to name its problems. */
  const sent = useRef<readonly Line[]>([])
  const moneyIn = (text: Signal<string> | undefined) =>
    text?.value.trim() ? { amount: decimalText(text.value.trim(), decimalSign()), currency } : undefined
  const contentOf = ({ line, rows, current }: Line, data: FormData): OfferInput => {
    const [costs] = rows
    const content = {
      rfqId: line.rfqId,
      factoryId: textOf(data, 'factoryId'),
      priceBreaks: rows.filter(isPriced).map(({ minQuantity, texts }) => ({
        minQuantity,
        unitPrice: moneyIn(texts.unitPrice),
        leadTimeDays: integerIn(texts.leadTimeDays?.value),
      })),
      toolingCost: moneyIn(costs?.texts.toolingCost),
      shippingCost: moneyIn(costs?.texts.shippingCost),
      validUntil: timeOf(data, 'validUntil'),
      reference: textOf(data, 'reference'),
      paymentTerms: textOf(data, 'paymentTerms'),
      notes: current?.notes,
    }
    // What is missing is named by the marketplace.
    return content as OfferInput
  }
  const commonOf = (data: FormData) =>
    JSON.stringify(['factoryId', 'validUntil', 'reference', 'paymentTerms'].map((name) => textOf(data, name)))
  const form = useRef<HTMLDivElement>(null)
  const common = useRef<string>(undefined)
  useEffect(() => {
    const shown = form.current?.closest('form')
    if (shown && read) common.current ??= commonOf(new FormData(shown))
  }, [read !== undefined])
  /** The lines with a price that are not submitted like this already. */
  const linesToSend = (data: FormData) =>
    lines.filter(
      ({ rows, current, first }) =>
        rows.some(isPriced) &&
        (current?.state !== 'SUBMITTED' || first !== textsOf(rows) || commonOf(data) !== common.current),
    )
  const isToSubmit = (data: FormData) => data.get('then') === 'submit'
  const send = async (data: FormData) => {
    sent.current = linesToSend(data)
    if (sent.current.length === 0) throw new FieldProblem('lines', t.packages.nothingOffered)
    const submit = isToSubmit(data)
    const body = { lines: sent.current.map((line) => contentOf(line, data)), submit }
    const { items } = await command(() => market.POST('/flows/v1/rfq-packages/{id}/offers', { ...at(pkg.id), body }))
    for (const line of sent.current) {
      line.current = items.find(({ rfqId }) => rfqId === line.line.rfqId)
      line.first = textsOf(line.rows)
    }
    common.current = commonOf(data)
    await onSent()
    told.value = counted(submit ? t.packages.submitted : t.packages.saved, items.length, number(items.length))
  }
  /** The lines that are submitted, with their prices and the total of their largest quantity. */
  const review = async (data: FormData) => {
    told.value = ''
    const chosen = linesToSend(data)
    if (chosen.length === 0) throw new FieldProblem('lines', t.packages.nothingOffered)
    const [first, ...others] = chosen.flatMap(problemsOf)
    if (first) throw new FieldProblem(first.field, first.message, ...others)
    if (!isToSubmit(data)) return
    const offers = chosen.map((line) => ({ line, offer: contentOf(line, data) }))
    const cost = (amount: OfferInput['toolingCost']) => (amount ? money(amount) : t.comparison.notStated)
    const validUntil = timeOf(data, 'validUntil')
    return (
      <>
        <p>{t.packages.reviewHint}</p>
        <Table
          caption={t.packages.offers}
          items={offers}
          idOf={({ line }) => line.line.rfqId}
          columns={[
            { label: t.rfqs.part, cell: ({ line }) => partOf(line.line) },
            { label: t.offer.priceBreaks, cell: ({ offer }) => summaryOf(offer) },
            { label: t.packages.toolingOf, cell: ({ offer }) => cost(offer.toolingCost), isNumber: true },
            { label: t.packages.shippingOf, cell: ({ offer }) => cost(offer.shippingCost), isNumber: true },
            { label: t.packages.total, cell: ({ line, offer }) => totalFor(line.line, offer), isNumber: true },
          ]}
        />
        <Facts
          of={[
            [t.rfqs.factory, choices.find(([id]) => id === textOf(data, 'factoryId'))?.[1]],
            [t.comparison.validUntil, validUntil && date(validUntil)],
          ]}
        />
      </>
    )
  }
  const pathOf = (field: string) => {
    const [, index, rest = ''] = /^lines\.(\d+)\.?(.*)$/.exec(field) ?? []
    const line = index === undefined ? undefined : sent.current[Number(index)]
    if (!line) return field
    const [, place, column = ''] = /^priceBreaks\.(\d+)\.(\w+)/.exec(rest) ?? []
    if (place === undefined) {
      const [name = ''] = rest.split('.')
      return name === 'toolingCost' || name === 'shippingCost' ? `${line.line.rfqId}.${name}` : name
    }
    const row = line.rows.filter(isPriced)[Number(place)]
    return row ? nameOf(line.line, row, column as Column) : field
  }
  const lastExpiry =
    pkg.lines
      .map(({ expireTime }) => expireTime)
      .toSorted()
      .at(-1) ?? pkg.createdTime
  return (
    <Form
      onSend={send}
      review={review}
      submit={t.packages.saveDrafts}
      tone=""
      pathOf={pathOf}
      buttons={
        permits('POST /flows/v1/offers/{id}/submit') && (
          <button type="submit" class="primary" name="then" value="submit">
            {t.packages.submitAll}
          </button>
        )
      }
    >
      <p ref={form} class="quiet">
        {t.packages.offersHint}
      </p>
      <div role="status">{told.value}</div>
      <div class="columns">
        <Field key={choices.length} name="factoryId" label={t.rfqs.factory} text={factoryId} options={choices} />
        <Field
          name="validUntil"
          label={t.comparison.validUntil}
          type="date"
          value={localDay(known?.validUntil ?? daysAfter(Date.parse(lastExpiry), 30))}
        />
        <Field name="reference" label={t.offer.reference} value={known?.reference} isOptional />
        <Field name="paymentTerms" label={t.rfqs.paymentTerms} value={known?.paymentTerms} isOptional />
      </div>
      <Rows lines={lines} outdated={outdated} />
    </Form>
  )
}

const integerIn = (text = '') => (/^\d+$/.test(text.trim()) ? Number(text.trim()) : text.trim() || undefined)

/** What is no amount or number of days in the rows of a line, and what a price lacks. */
function problemsOf({ line, rows }: Line): { field: string; message: string }[] {
  return rows.flatMap((row) =>
    COLUMNS.flatMap((column) => {
      const text = row.texts[column]?.value.trim() ?? ''
      const isNeeded = isPriced(row) && (column === 'unitPrice' || column === 'leadTimeDays')
      const isGood =
        text === ''
          ? !isNeeded
          : column === 'leadTimeDays'
            ? /^\d{1,4}$/.test(text)
            : /^\d{1,12}(\.\d{1,4})?$/.test(decimalText(text, decimalSign()))
      const message = column === 'leadTimeDays' ? t.packages.badDays : t.packages.badAmount
      return isGood ? [] : [{ field: nameOf(line, row, column), message }]
    }),
  )
}

/** The total of an offer for the largest quantity of a line. */
function totalFor({ quantities }: PackageLine, { priceBreaks, toolingCost, shippingCost }: OfferInput): string {
  const breaks = priceBreaks.toSorted((a, b) => a.minQuantity - b.minQuantity)
  const quantity = Math.max(...(quantities.length > 0 ? quantities : breaks.map(({ minQuantity }) => minQuantity)))
  const price = breaks.findLast(({ minQuantity }) => minQuantity <= quantity)?.unitPrice
  if (!price) return '–'
  const amount = sumOf([price.amount, quantity], [toolingCost?.amount ?? '0', 1], [shippingCost?.amount ?? '0', 1])
  const total = totalText({ amount, currency: price.currency })
  return `${pieces(quantity)}: ${total}`
}

/** `from 10: €12.50, 28 days`, for each price. */
const summaryOf = ({ priceBreaks }: OfferInput) =>
  priceBreaks
    .map(({ minQuantity, unitPrice, leadTimeDays }) => {
      const price = unitPrice && /^\d+(\.\d+)?$/.test(unitPrice.amount) ? money(unitPrice) : (unitPrice?.amount ?? '–')
      return `${number(minQuantity)}: ${price}, ${fill(t.comparison.days, { count: String(leadTimeDays ?? '–') })}`
    })
    .join(' · ')

/** Whether the rows of a line stay although the package has changed: its RFQ has not, or what was typed is not saved. */
const isKept = ({ line, rows, first }: Line, { version }: PackageLine) =>
  line.version === version || textsOf(rows) !== first

/** The lines of a manufacturer as one table, which it fills in, pastes into and submits at once. */
export function PackageOffers({ pkg }: { pkg: RfqPackage }) {
  const isInvited = ({ state, invitationState }: PackageLine) => state === 'OPEN' && invitationState !== 'DECLINED'
  const open = pkg.lines.filter(isInvited)
  const awaiting = open.filter(({ awaitsAcceptance }) => awaitsAcceptance)
  const offered = open.filter(({ awaitsAcceptance }) => !awaitsAcceptance)
  const key = offered.map(({ rfqId, version }) => `${rfqId} ${version}`).join()
  const read = useSignal<Read<readonly Line[]>>({ data: undefined, error: undefined })
  const outdated = useSignal<ReadonlyMap<string, Outdated>>(new Map())
  const mark = async (offers?: readonly Offer[]) => {
    outdated.value = await readOutdated(offers ?? (await readOffers(pkg.id)))
  }
  const markAgain = () => mark().catch(() => undefined)
  useEffect(() => {
    let isNewest = true
    readOffers(pkg.id).then(
      (offers) => {
        if (!isNewest) return
        const current = currentOf(offers)
        const known = new Map(read.value.data?.map((line) => [line.line.rfqId, line]))
        const lines = offered.map((line) => {
          const shown = known.get(line.rfqId)
          return shown && isKept(shown, line) ? shown : lineOf(line, current.get(line.rfqId))
        })
        read.value = { data: lines, error: undefined }
        mark(offers).catch(() => undefined)
      },
      (error) => {
        if (isNewest) read.value = { data: read.value.data, error }
      },
    )
    return () => {
      isNewest = false
    }
  }, [key])
  const template = () => saveFrom('/flows/v1/rfq-packages/{id}/offers/template', 'offers.csv', at(pkg.id).params)
  return (
    <Section
      title={t.packages.offers}
      actions={
        offered.length > 0 && (
          <div class="actions">
            <Download label={t.packages.template} onRun={template} />
          </div>
        )
      }
    >
      <AcceptTerms pkg={pkg} lines={awaiting} />
      <ReconfirmAll lines={offered} outdated={outdated.value} onDone={markAgain} />
      {offered.length === 0 && awaiting.length === 0 && <Empty>{t.packages.noOpenLine}</Empty>}
      {offered.length > 0 && permits('POST /flows/v1/rfq-packages/{id}/offers') && (
        <Shown read={read.value}>
          {(lines) => <OfferTable pkg={pkg} lines={lines} outdated={outdated.value} onSent={markAgain} />}
        </Shown>
      )}
    </Section>
  )
}
