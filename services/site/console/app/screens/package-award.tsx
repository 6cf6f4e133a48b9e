import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { sumOf } from '../amounts.ts'
import { at, market, type PackageComparison, post, type RfqPackage, type RfqSeller } from '../api.ts'
import { dayCount, number, totalText } from '../format.ts'
import { inParallel } from '../in-parallel.ts'
import { permits } from '../me.ts'
import { counted, fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field, FieldProblem, textsOf } from '../ui/form.tsx'
import { Table } from '../ui/list.tsx'
import { Facts } from '../ui/page.tsx'
import { mergeSellers, SellerField, sellerIn, sellerName, sellerProblem } from './award-sellers.tsx'
import { type Choice, isAwardable, mayAward, titleOf } from './package-texts.ts'

type Line = PackageComparison['lines'][number]

/** A line of the dialog, with the offer and the number of pieces that are chosen for it. */
interface Row {
  line: Line
  /** The largest quantity of the RFQ. */
  most: number
  offerId: Signal<string>
  pieces: Signal<string>
}

/** A line that becomes an order. */
interface Order {
  row: number
  line: Line
  offer: Line['offers'][number]
  quantity: number
}

const piecesOf = ({ pieces: { value } }: Row) => (/^\d+$/.test(value.trim()) ? Number(value.trim()) : 0)

const problemOf = (row: Row): string | undefined => {
  if (row.offerId.value === '') return undefined
  const pieces = piecesOf(row)
  return pieces >= 1 && pieces <= row.most ? undefined : fill(t.packages.badPieces, { most: number(row.most) })
}

const blockedBy = (rows: readonly Row[]): string | undefined => {
  if (rows.every(({ offerId }) => offerId.value === '')) return t.packages.nothingChosen
  const wrong = rows.find((row) => problemOf(row) !== undefined)
  return wrong && `${titleOf(wrong.line)}: ${problemOf(wrong)}`
}

interface AwardProps {
  pkg: RfqPackage
  comparison: PackageComparison
  /** The choice that fills the dialog. */
  choice: Choice | undefined
}

/** The rows that the dialog opened with stay, with what was chosen. */
function useRows({ pkg, comparison, choice }: AwardProps) {
  const rows = useSignal<readonly Row[]>([])
  const names = new Map(comparison.makers.map((maker) => [maker.manufacturerOrgId, maker.manufacturerName]))
  const awardable = comparison.lines.filter((line) => isAwardable(line) && line.offers.some(mayAward))
  const sellers = useSignal<readonly RfqSeller[]>([])
  const begin = async () => {
    sellers.value = await readSellers(awardable.map(({ rfqId }) => rfqId))
    rows.value = awardable.map((line) => {
      const award = choice?.awards.find(({ rfqId }) => rfqId === line.rfqId)
      const quantities = pkg.lines.find(({ rfqId }) => rfqId === line.rfqId)?.quantities ?? []
      return {
        line,
        most: Math.max(...quantities),
        offerId: signal(award?.offerId ?? ''),
        pieces: signal(String(award?.quantity ?? line.quantity)),
      }
    })
  }
  return { rows, begin, names, sellers, isPossible: awardable.length > 0 }
}

/** The sellers that an award of the lines may name. */
const readSellers = async (rfqIds: readonly string[]) =>
  mergeSellers(
    await inParallel(rfqIds, async (id) => (await market.GET('/flows/v1/rfqs/{id}/sellers', at(id))).data.items),
  )

/** The fees of a seller for orders, none where the manufacturer sells. */
const readFees = (orders: readonly Order[], sellerOrgId: string) =>
  inParallel(orders, async ({ line, offer, quantity }) => {
    const params = { path: { id: line.rfqId }, query: { quantity, sellerOrgId } }
    const { offers } = (await market.GET('/flows/v1/rfqs/{id}/comparison', { params })).data
    return offers.find(({ offerId }) => offerId === offer.offerId)?.sellerFee?.amount ?? '0'
  })

/** The chosen offers at the typed quantities. */
const readAt = async (pkg: RfqPackage, quantities: string) => {
  const params = { path: { id: pkg.id }, query: { quantities } }
  return (await market.GET('/flows/v1/rfq-packages/{id}/comparison', { params })).data
}

const PAUSE_MS = 400

/** The total of the chosen offers, soon after one of them or a quantity has changed. */
function RunningTotal({ pkg, rows }: { pkg: RfqPackage; rows: readonly Row[] }) {
  const total = useSignal('')
  const chosen = rows.filter((row) => row.offerId.value !== '')
  const isComplete = chosen.length > 0 && chosen.every((row) => problemOf(row) === undefined)
  const quantities = isComplete ? chosen.map((row) => `${row.line.rfqId}:${piecesOf(row)}`).join(',') : ''
  const offerIds = chosen.map(({ offerId }) => offerId.value).join()
  useEffect(() => {
    total.value = ''
    if (quantities === '') return
    let isCurrent = true
    const show = async () => {
      const { lines, currency } = await readAt(pkg, quantities)
      const ids = new Set(offerIds.split(','))
      const offers = lines.flatMap((line) => line.offers.filter(({ offerId }) => ids.has(offerId)))
      const amount = sumOf(...offers.map(({ landedTotal }) => [landedTotal?.amount ?? '0', 1] as const))
      const isPriced = offers.length === ids.size && offers.every(({ landedTotal }) => landedTotal)
      if (isCurrent && isPriced) total.value = totalText({ amount, currency })
    }
    const timer = setTimeout(() => show().catch(() => undefined), PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [pkg.id, quantities, offerIds])
  return (
    <p role="status">
      {t.packages.total} ({counted(t.packages.forLines, chosen.length, number(chosen.length))}):{' '}
      <strong>{total.value || '…'}</strong>
    </p>
  )
}

/** Awards the lines for which an offer is chosen, all or none. The marketplace checks them again. */
export function PackageAward(props: AwardProps) {
  const { pkg } = props
  const { rows, begin, names, sellers, isPossible } = useRows(props)
  const seller = useSignal('')
  const sellerOrgId = seller.value || undefined
  const makers = rows.value.flatMap(
    ({ line, offerId }) => line.offers.find((offer) => offer.offerId === offerId.value)?.manufacturerOrgId ?? [],
  )
  const placed = useRef<readonly Order[]>([])
  /** The seller with the fee that is reviewed. */
  const named = useRef<ReturnType<typeof sellerIn>>({})
  const review = async () => {
    named.current = sellerIn(sellers.value, seller.value, makers)
    const chosen = rows.value.flatMap((row, index) => (row.offerId.value === '' ? [] : [{ row, index }]))
    const quantities = chosen.map(({ row }) => `${row.line.rfqId}:${piecesOf(row)}`).join(',')
    const compared = await readAt(pkg, quantities)
    placed.current = chosen.map(({ row, index }) => {
      const line = compared.lines.find(({ rfqId }) => rfqId === row.line.rfqId)
      const offer = line?.offers.find(({ offerId }) => offerId === row.offerId.value)
      if (!line || !offer?.landedTotal) throw new FieldProblem(`quantity.${index}`, t.comparison.notOffered)
      return { row: index, line, offer, quantity: piecesOf(row) }
    })
    const { currency } = compared
    const total = sumOf(...placed.current.map(({ offer }) => [offer.landedTotal?.amount ?? '0', 1] as const))
    const fees = sellerOrgId ? await readFees(placed.current, sellerOrgId) : []
    const fee = sumOf(...fees.map((each) => [each, 1] as const))
    return (
      <>
        <p>{t.packages.orders}</p>
        <Table
          caption={t.packages.orders}
          items={placed.current}
          idOf={({ line }) => line.rfqId}
          columns={[
            { label: t.rfqs.part, cell: ({ line }) => titleOf(line) },
            { label: t.rfqs.manufacturer, cell: ({ offer }) => names.get(offer.manufacturerOrgId) },
            { label: t.orders.quantity, cell: ({ quantity }) => number(quantity), isNumber: true },
            { label: t.comparison.leadTime, cell: ({ offer }) => dayCount(offer.leadTimeDays ?? 0) },
            {
              label: t.orders.total,
              cell: ({ offer }) => offer.landedTotal && totalText(offer.landedTotal),
              isNumber: true,
            },
          ]}
        />
        <p>
          {t.packages.total}: <strong>{totalText({ amount: total, currency })}</strong>
        </p>
        {sellerOrgId && (
          <Facts
            of={[
              [t.comparison.seller, sellerName(sellers.value, sellerOrgId)],
              [t.comparison.sellerFee, totalText({ amount: fee, currency })],
              [t.comparison.withFee, totalText({ amount: sumOf([total, 1], [fee, 1]), currency })],
            ]}
          />
        )}
      </>
    )
  }
  const award = (data: FormData) => {
    const awards = placed.current.map(({ line: { rfqId }, offer: { offerId }, quantity }) => ({
      rfqId,
      offerId,
      quantity,
      ...textsOf(data, 'purchaseOrderNumber'),
    }))
    return post('/flows/v1/rfq-packages/{id}/award', pkg.id, {
      awards,
      ...named.current,
    })
  }
  const pathOf = (field: string) =>
    field
      .replace('sellerFeePercent', 'sellerOrgId')
      .replace(/^awards\.\d+\.purchaseOrderNumber$/, 'purchaseOrderNumber')
      .replace(/^awards\.(\d+)(\..*)?$/, (_, at) => `quantity.${placed.current.at(Number(at))?.row}`)
  return (
    <Action
      label={t.verbs.award}
      hint={t.packages.awardHint}
      when={isPossible && permits('POST /flows/v1/rfq-packages/{id}/award')}
      isPrimary
      isWide
      onOpen={async () => {
        await begin()
        seller.value = ''
      }}
      onRun={award}
      form={{ pathOf, review, blockedBy: blockedBy(rows.value) ?? sellerProblem(sellers.value, seller.value, makers) }}
    >
      {rows.value.map(({ line, offerId, pieces, ...row }, index) => (
        <div key={line.rfqId} class="columns">
          <Field
            name={`offer.${index}`}
            label={fill(t.packages.offerOf, { part: titleOf(line) })}
            text={offerId}
            options={[
              ['', t.packages.noAward],
              ...line.offers
                .filter(mayAward)
                .map(
                  (offer) =>
                    [
                      offer.offerId,
                      [
                        names.get(offer.manufacturerOrgId) ?? '',
                        offer.landedTotal ? totalText(offer.landedTotal) : '',
                        dayCount(offer.leadTimeDays ?? 0),
                      ].join(', '),
                    ] as const,
                ),
            ]}
          />
          <Field
            name={`quantity.${index}`}
            label={fill(t.packages.piecesOf, { part: titleOf(line) })}
            type="number"
            text={pieces}
            problem={problemOf({ line, offerId, pieces, ...row })}
          />
        </div>
      ))}
      <RunningTotal pkg={pkg} rows={rows.value} />
      <Field name="purchaseOrderNumber" label={t.orders.purchaseOrderNumber} isOptional />
      <SellerField sellers={sellers.value} chosen={seller} makers={makers} />
    </Action>
  )
}
