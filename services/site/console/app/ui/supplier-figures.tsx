import { market, type Supplier } from '../api.ts'
import { dayCount, number, share } from '../format.ts'
import { permits } from '../me.ts'
import { Known } from '../names.tsx'
import { counted, fill, t } from '../texts.ts'
import { Facts, Section } from './page.tsx'

/** The figures of manufacturers; null for one of which the organization has ordered nothing. */
const suppliers = new Known<Supplier | null>(async (ids) => {
  const { data } = await market.POST('/flows/v1/suppliers:batch-get', { body: { ids } })
  const found = new Map(data.items.map((one) => [one.manufacturerOrgId, one]))
  return ids.map((id) => [id, found.get(id) ?? null])
})

const knownOf = (id: string) => (permits('POST /flows/v1/suppliers:batch-get') ? suppliers.of(id) : undefined)

/** From how many orders the figures are, where these are few. */
const sampleOf = ({ isSmallSample, finishedOrders }: Supplier) =>
  isSmallSample ? counted(t.suppliers.from, finishedOrders, number(finishedOrders)) : ''

/** How a manufacturer has delivered to the organization, in one line. */
export function SupplierLine({ id }: { id: string }) {
  const known = knownOf(id)
  if (known === undefined) return null
  const { onTimeShare, rejectedShare, medianLeadTimeDays } = known ?? {}
  if (!known || onTimeShare === undefined || rejectedShare === undefined || medianLeadTimeDays === undefined)
    return <small class="quiet">{t.suppliers.none}</small>
  const figures = { onTime: share(onTimeShare), rejected: share(rejectedShare), days: dayCount(medianLeadTimeDays) }
  return (
    <small class="quiet">
      {fill(t.suppliers.line, figures)} {sampleOf(known)}
    </small>
  )
}

/** How a manufacturer has delivered to the organization, as facts. */
export function SupplierFacts({ id }: { id: string }) {
  const known = knownOf(id)
  if (known === undefined) return null
  const { onTimeShare, rejectedShare, medianLeadTimeDays } = known ?? {}
  return (
    <Section title={t.suppliers.title}>
      {known && onTimeShare !== undefined ? (
        <>
          <Facts
            of={[
              [t.suppliers.onTime, share(onTimeShare)],
              [t.suppliers.rejected, rejectedShare !== undefined && share(rejectedShare)],
              [t.suppliers.leadTime, medianLeadTimeDays !== undefined && dayCount(medianLeadTimeDays)],
            ]}
          />
          {known.isSmallSample && <p class="hint">{sampleOf(known)}</p>}
        </>
      ) : (
        <p class="quiet">{t.suppliers.none}</p>
      )}
    </Section>
  )
}
