import type { Signal } from '@preact/signals'
import type { Rfq, RfqSeller } from '../api.ts'
import { useRecord } from '../data.ts'
import { percent } from '../format.ts'
import { orgId } from '../me.ts'
import { orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Field } from '../ui/form.tsx'

/** The sellers that an award of the RFQ may name. Only its consumer awards. */
export function useSellers({ id, consumerOrgId, state }: Rfq): readonly RfqSeller[] {
  const isAwarding = consumerOrgId === orgId.value && state !== 'DRAFT' && state !== 'CANCELLED'
  const read = useRecord(isAwarding ? '/flows/v1/rfqs/{id}/sellers' : undefined, { path: { id } })
  return read.data?.items ?? []
}

/** The sellers of several RFQs as one list: each with its agreements with any of their manufacturers. */
export function mergeSellers(lists: readonly (readonly RfqSeller[])[]): RfqSeller[] {
  const merged = new Map<string, RfqSeller>()
  for (const seller of lists.flat()) {
    const { agreements = [] } = merged.get(seller.sellerOrgId) ?? {}
    const others = seller.agreements.filter(
      ({ manufacturerOrgId }) => !agreements.some((known) => known.manufacturerOrgId === manufacturerOrgId),
    )
    merged.set(seller.sellerOrgId, { ...seller, agreements: [...agreements, ...others] })
  }
  return [...merged.values()].toSorted((one, other) => one.name.localeCompare(other.name))
}

const feesOf = ({ agreements }: RfqSeller) =>
  [...new Set(agreements.map(({ feePercent }) => percent(feePercent)))].join(' / ')

/** The sellers as choices, each with its fees. */
export const sellerOptions = (sellers: readonly RfqSeller[]) => [
  ['', t.comparison.manufacturerSells] as const,
  ...sellers.map((seller) => [seller.sellerOrgId, `${seller.name} (${feesOf(seller)})`] as const),
]

/** The name of a seller; undefined where the manufacturer sells. */
export const sellerName = (sellers: readonly RfqSeller[], chosen: string) =>
  sellers.find(({ sellerOrgId }) => sellerOrgId === chosen)?.name

const feeOf = (seller: RfqSeller, maker: string) =>
  seller.agreements.find(({ manufacturerOrgId }) => manufacturerOrgId === maker)?.feePercent

/** The seller that an award names, with the fee that was shown where it is the same for every manufacturer. */
export function sellerIn(sellers: readonly RfqSeller[], chosen: string, makers: readonly string[]) {
  const seller = sellers.find(({ sellerOrgId }) => sellerOrgId === chosen)
  if (!seller) return {}
  const [sellerFeePercent, ...others] = new Set(makers.flatMap((maker) => feeOf(seller, maker) ?? []))
  return { sellerOrgId: chosen, ...(sellerFeePercent && others.length === 0 && { sellerFeePercent }) }
}

/** Why the chosen seller cannot be named: it has no agreement with an awarded manufacturer. */
export function sellerProblem(
  sellers: readonly RfqSeller[],
  chosen: string,
  makers: readonly string[],
): string | undefined {
  const seller = sellers.find(({ sellerOrgId }) => sellerOrgId === chosen)
  // A manufacturer sells its own parts without an agreement.
  const without = makers.filter((maker) => seller && maker !== chosen && feeOf(seller, maker) === undefined)
  return seller && without.length > 0
    ? fill(t.comparison.withoutAgreement, { seller: seller.name, makers: without.map(orgName).join(', ') })
    : undefined
}

interface SellerProps {
  sellers: readonly RfqSeller[]
  chosen: Signal<string>
  /** The manufacturers that are awarded. */
  makers: readonly string[]
}

/** The manufacturer itself, or a seller by name with its fees. */
export function SellerField({ sellers, chosen, makers }: SellerProps) {
  if (sellers.length === 0) return null
  const seller = sellers.find(({ sellerOrgId }) => sellerOrgId === chosen.value)
  const fees = [...new Set(makers)].flatMap((maker) => {
    const fee = seller && feeOf(seller, maker)
    return fee === undefined ? [] : [`${orgName(maker)} ${percent(fee)}`]
  })
  return (
    <>
      <Field name="sellerOrgId" label={t.comparison.seller} text={chosen} options={sellerOptions(sellers)} />
      {fees.length > 0 && <p class="quiet">{fill(t.comparison.sellerHint, { fees: fees.join(', ') })}</p>}
    </>
  )
}
