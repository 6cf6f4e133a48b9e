import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { numbersIn } from '../amounts.ts'
import { at, type Delivery, market, post, type Rfq } from '../api.ts'
import { useRecord } from '../data.ts'
import { date, number, region, time } from '../format.ts'
import { mayUse, permits } from '../me.ts'
import { PartTitle, partTitle } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action, optionalReason, Reason, reasonOf } from '../ui/dialog.tsx'
import { DocumentFields, sendDocuments, useDocumentChoice } from '../ui/documents.tsx'
import { Edit } from '../ui/edit.tsx'
import { chosenFieldOf } from '../ui/file-choice.tsx'
import { Field, localTime, textOf, timeOf } from '../ui/form.tsx'
import type { Fact } from '../ui/page.tsx'
import { DeliveryFields, termsOf } from './rfq-form.tsx'
import { closingOf } from './rfqs.tsx'

/** An address, or the part of it that the organization sees. */
const addressOf = ({ name, lines = [], postalCode = '', locality, regionCode }: NonNullable<Rfq['delivery']>) =>
  [name, ...lines, `${postalCode} ${locality}`.trim(), region(regionCode)].filter(Boolean).join(', ')

export const deliveryFact = (delivery: Delivery | Rfq['delivery']): Fact => [
  t.rfqs.delivery,
  delivery && addressOf(delivery),
]

/** What an RFQ asks for, for everyone who reads it. */
export const termFacts = (rfq: Rfq): Fact[] => [
  [t.rfqs.quantities, rfq.quantities.map(number).join(' · ') || '–'],
  ...commonFacts(rfq),
]

/** The terms that the lines of a package have in common. */
export const commonFacts = (rfq: Rfq): Fact[] => [
  closingOf(rfq),
  [t.rfqs.version, rfq.version && rfq.version > 1 && number(rfq.version)],
  [t.rfqs.amendmentReason, rfq.amendmentReason],
  [t.rfqs.requestedDeliveryDate, rfq.requestedDeliveryDate && date(rfq.requestedDeliveryDate)],
  [t.rfqs.country, region(rfq.deliveryRegionCode)],
  deliveryFact(rfq.delivery),
  [t.rfqs.incoterm, rfq.incoterm],
  [t.rfqs.currency, rfq.currency],
  [t.rfqs.paymentTerms, rfq.paymentTerms],
  [t.rfqs.requiredDocuments, rfq.requiredDocuments?.map((kind) => t.documentKinds[kind]).join(', ')],
  [t.rfqs.prices, rfq.sealed ? ['DRAFT', 'OPEN'].includes(rfq.state) && t.rfqs.sealed : t.rfqs.notSealed],
]

interface Pin {
  partId: string
  partRevision?: number
}

/** The part of an RFQ or an order as it was when its revision was pinned. */
export function PinnedPart({ partId, partRevision }: Pin) {
  const pinned = useRecord(partRevision === undefined ? undefined : '/flows/v1/parts/{id}/revisions/{revision}', {
    path: { id: partId, revision: String(partRevision) },
  })
  const current = useRecord(pinned.error && !pinned.data ? '/v1/parts/{id}' : undefined, { path: { id: partId } })
  if (!pinned.data || partRevision === undefined) {
    if (pinned.error && current.error) return <>{partTitle(partId, t.rfqs.partNotReadable)}</>
    return (
      <a href={`/console/parts/${partId}`}>
        <PartTitle id={partId} />
      </a>
    )
  }
  return (
    <>
      <a href={`/console/parts/${partId}?revision=${partRevision}`}>{pinned.data.title ?? pinned.data.serialNumber}</a>{' '}
      <small class="quiet">{fill(t.parts.revision, { count: number(partRevision) })}</small>
    </>
  )
}

/** What to say where the organization may no longer read the drawings of an RFQ. */
export const endedAccess = ({ state }: Rfq) =>
  state === 'AWARDED' ? t.rfqs.drawingsEndedByAward : t.rfqs.drawingsEnded

/** Corrects an open RFQ. Offers for the former version have to be reconfirmed or revised. */
export function Amend({ rfq, when, label = t.verbs.amend }: { rfq: Rfq; when: boolean; label?: string }) {
  const { id } = rfq
  const choice = useDocumentChoice('DRAWING')
  const amend = async (data: FormData, unchanged: { 'If-Match': string }, present: Rfq) => {
    const { paymentTerms, ...delivery } = termsOf(data, present.deliveryRegionCode)
    // The field shows minutes, so an unchanged one would be an earlier expiry.
    const isExtended = textOf(data, 'expireTime') !== localTime(present.expireTime)
    const expireTime = isExtended ? timeOf(data, 'expireTime') : undefined
    const add = await sendDocuments(choice)
    const body = {
      ...delivery,
      ...(add.length > 0 && { files: { add } }),
      quantities: numbersIn(textOf(data, 'quantities') ?? ''),
      requirements: textOf(data, 'requirements') ?? null,
      ...(expireTime && { expireTime }),
      ...(data.has('partRevision') && { partRevision: 'CURRENT' as const }),
      reason: reasonOf(data),
    }
    return post('/flows/v1/rfqs/{id}/amend', id, body, unchanged)
  }
  return (
    <Edit
      label={label}
      submit={t.verbs.amend}
      hint={t.rfqs.amendHint}
      when={when}
      isWide
      read={() => {
        choice.chosen.value = []
        return market.GET('/v1/rfqs/{id}', at(id))
      }}
      onRun={amend}
      form={{ pathOf: (field) => chosenFieldOf(field, choice) }}
    >
      {(present) => (
        <>
          {present.partChanged && (
            <Field
              name="partRevision"
              label={t.rfqs.pinCurrent}
              hint={t.rfqs.pinCurrentHint}
              type="checkbox"
              value="true"
            />
          )}
          <Field
            name="quantities"
            label={t.rfqs.quantities}
            hint={t.rfqs.quantitiesHint}
            value={present.quantities.join(', ')}
          />
          <Field
            name="expireTime"
            label={t.rfqs.closes}
            hint={t.rfqs.amendExpiry}
            type="datetime-local"
            value={localTime(present.expireTime)}
          />
          <Field name="requirements" label={t.rfqs.requirements} rows={4} value={present.requirements} isOptional />
          <DeliveryFields rfq={present} closes={localTime(present.expireTime)} />
          {permits('POST /v1/uploads') && <DocumentFields choice={choice} />}
          <Reason isLater />
        </>
      )}
    </Edit>
  )
}

/** Whether the caller's organization has declined its invitation, and was not invited again. */
export const hasDeclined = ({ invitation }: Rfq) => invitation?.state === 'DECLINED'

/** Ends the invitation of the caller's organization, until it has declined it or made an offer. */
export const Decline = ({ rfq }: { rfq: Rfq }) => (
  <Action
    label={t.verbs.decline}
    when={mayUse(RFQ, 'decline', rfq) && ['INVITED', 'READ'].includes(rfq.invitation?.state ?? '')}
    isDangerous
    onRun={(data) => post('/flows/v1/rfqs/{id}/decline', rfq.id, optionalReason(data))}
  >
    <Reason isOptional />
  </Action>
)

/** The decline of the caller's organization. */
export const Declined = ({ rfq: { invitation } }: { rfq: Rfq }) =>
  invitation?.state === 'DECLINED' ? (
    <p class="hint" role="status">
      {fill(t.rfqs.youDeclined, { time: time(invitation.declinedTime ?? '') })}
      {invitation.reason && ` ${fill(t.rfqs.yourReason, { reason: invitation.reason })}`}
    </p>
  ) : null
