import { OFFER } from '../../../../../proto/states/offers.ts'
import { type Offer, post, type Rfq } from '../api.ts'
import { useList } from '../data.ts'
import { date, money, number, time } from '../format.ts'
import { mayUse } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Action, optionalReason, Reason } from '../ui/dialog.tsx'
import { DocumentLinks } from '../ui/documents.tsx'
import { Badge, Facts } from '../ui/page.tsx'
import { useMissingRelease } from './confidentiality.tsx'
import { landedTotal, Terms } from './offer-terms.tsx'

interface Outdated {
  offer: Offer
  rfq: Rfq
}

/** A submitted offer for a sealed RFQ can no longer be taken back once the RFQ has closed. */
const isBinding = ({ offer, rfq }: Outdated) =>
  rfq.sealed && rfq.state === 'CLOSED' && offer.state === 'SUBMITTED' && !offer.isOutdated

/** Whether the maker is asked if an offer that lost still stands. */
const isAsked = ({ state, reinstatementAskedTime, validUntil }: Offer) =>
  state === 'REJECTED' && reinstatementAskedTime !== undefined && validUntil > new Date().toISOString()

/** The quantities of the version that the offer is for; undefined where they are the same or were not read. */
function useFormerQuantities({ offer, rfq }: Outdated): number[] | undefined {
  const { data = [] } = useList(offer.isOutdated ? '/v1/rfqs/{id}/history' : undefined, { path: { id: rfq.id } })
  const end = data.findIndex(({ changes }) =>
    changes.some(({ field, after }) => field === 'version' && after === offer.rfqVersion),
  )
  const since = end === -1 ? data : data.slice(0, end)
  const changed = since.flatMap(({ changes }) =>
    changes.filter(({ field, before }) => field === 'quantities' && before !== undefined),
  )
  return changed.at(-1)?.before as number[] | undefined
}

const list = (quantities: readonly number[]) => quantities.map(number).join(' · ')

/** What the offer costs at a quantity that the RFQ asks for. */
function totalAt(offer: Offer, quantity: number): string {
  const price = offer.priceBreaks?.findLast(({ minQuantity }) => minQuantity <= quantity)
  return price ? money(landedTotal(offer, quantity, price.unitPrice)) : t.comparison.unpriced.BELOW_MIN_QUANTITY
}

/** What has changed since the offer, and what the offer means for the RFQ as it is now. */
function Changes({ offer, rfq }: Outdated) {
  const former = useFormerQuantities({ offer, rfq })
  const isRevised = offer.partRevision !== undefined && offer.partRevision !== rfq.partRevision
  const missing = useMissingRelease(rfq)
  return (
    <>
      {missing && <p class="hint">{missing}</p>}
      <Facts
        of={[
          [t.rfqs.amendmentReason, rfq.amendmentReason],
          [t.rfqs.quantities, former ? `${list(former)} → ${list(rfq.quantities)}` : list(rfq.quantities)],
          [
            t.parts.revisionNumber,
            isRevised && rfq.partRevision && `${number(offer.partRevision ?? 0)} → ${number(rfq.partRevision)}`,
          ],
          ...rfq.quantities.map(
            (quantity) => [fill(t.offer.totalFor, { pieces: number(quantity) }), totalAt(offer, quantity)] as const,
          ),
        ]}
      />
    </>
  )
}

/** Which version of the RFQ the offer is for. */
function versionOf({ offer: { rfqVersion, isOutdated }, rfq }: Outdated): string | undefined {
  if (rfqVersion === undefined || rfq.version === undefined) return undefined
  const versions = { version: number(rfqVersion), current: number(rfq.version) }
  return isOutdated ? fill(t.offer.forVersion, versions) : fill(t.offer.confirmedFor, versions)
}

/** A submitted or ended offer. */
export function OfferView({ offer, rfq }: Outdated) {
  const isOpen = rfq.state === 'OPEN'
  return (
    <section class="panel">
      <header>
        <h2>
          {fill(t.comparison.revision, { count: number(offer.revision) })} <Badge of="offer" state={offer.state} />
        </h2>
        <div class="actions">
          <Action
            label={t.verbs.withdraw}
            when={!isBinding({ offer, rfq }) && mayUse(OFFER, 'withdraw', offer)}
            isDangerous
            onRun={(data) => post('/flows/v1/offers/{id}/withdraw', offer.id, optionalReason(data))}
          >
            <Reason isOptional />
          </Action>
          <Action
            label={t.offer.confirmUnchanged}
            hint={t.offer.reconfirmHint}
            when={isOpen && offer.isOutdated === true && mayUse(OFFER, 'reconfirm', offer)}
            isPrimary
            onRun={() => post('/flows/v1/offers/{id}/reconfirm', offer.id)}
          >
            <Changes offer={offer} rfq={rfq} />
          </Action>
          <Action
            label={t.verbs.reinstate}
            hint={fill(t.offer.askedHint, { day: date(offer.validUntil) })}
            when={isAsked(offer) && mayUse(OFFER, 'reinstate', offer)}
            isPrimary
            onRun={() => post('/flows/v1/offers/{id}/reinstate', offer.id)}
          />
          <Action
            label={t.verbs.revise}
            hint={t.offer.reviseHint}
            when={isOpen && mayUse(OFFER, 'revise', offer)}
            onRun={() => post('/flows/v1/offers/{id}/revise', offer.id)}
          />
        </div>
      </header>
      {isBinding({ offer, rfq }) && (
        <p class="hint" role="status">
          {fill(t.offer.bindingUntil, { day: date(offer.validUntil) })}
        </p>
      )}
      {isAsked(offer) && (
        <p class="hint" role="status">
          <strong>{t.offer.asked}</strong> {fill(t.offer.askedHint, { day: date(offer.validUntil) })}
        </p>
      )}
      {offer.isOutdated && (
        <>
          <p class="hint" role="status">
            {t.offer.outdated}
          </p>
          <Changes offer={offer} rfq={rfq} />
        </>
      )}
      <Terms offer={offer} />
      <DocumentLinks of="offer" id={offer.id} />
      <Facts
        of={[
          [t.offer.submitted, offer.submittedTime && time(offer.submittedTime)],
          [t.rfqs.version, offer.state === 'SUBMITTED' && versionOf({ offer, rfq })],
          [t.ui.reason, offer.reason],
        ]}
      />
    </section>
  )
}
