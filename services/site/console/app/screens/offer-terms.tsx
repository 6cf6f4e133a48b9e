import type { Money, Offer } from '../api.ts'
import { date, dayCount, money, number } from '../format.ts'
import { FactoryName } from '../names.tsx'
import { totalOf } from '../pieces.ts'
import { t } from '../texts.ts'
import { Table } from '../ui/list.tsx'
import { Facts } from '../ui/page.tsx'

export const landedTotal = (offer: Offer, quantity: number, unitPrice: Money) =>
  totalOf({ ...offer, unitPrice }, quantity)

/** What an offer promises, with the total at each price break. */
export const Terms = ({ offer }: { offer: Offer }) => (
  <>
    <Table
      caption={t.offer.priceBreaks}
      items={offer.priceBreaks ?? []}
      idOf={({ minQuantity }) => String(minQuantity)}
      columns={[
        { label: t.offer.minQuantity, cell: ({ minQuantity }) => `≥ ${number(minQuantity)}` },
        { label: t.comparison.unitPrice, cell: ({ unitPrice }) => money(unitPrice), isNumber: true },
        {
          label: t.comparison.leadTime,
          cell: ({ leadTimeDays }) => dayCount(leadTimeDays),
          isNumber: true,
        },
        {
          label: t.comparison.landed,
          cell: ({ minQuantity, unitPrice }) => money(landedTotal(offer, minQuantity, unitPrice)),
          isNumber: true,
        },
      ]}
    />
    <Facts
      of={[
        [t.comparison.tooling, offer.toolingCost ? money(offer.toolingCost) : t.comparison.notStated],
        [t.comparison.shipping, offer.shippingCost && money(offer.shippingCost)],
        [t.comparison.validUntil, date(offer.validUntil)],
        [t.rfqs.factory, <FactoryName key="factory" id={offer.factoryId} />],
        [t.offer.reference, offer.reference],
        [t.rfqs.paymentTerms, offer.paymentTerms],
        [t.offer.notes, offer.notes],
      ]}
    />
  </>
)
