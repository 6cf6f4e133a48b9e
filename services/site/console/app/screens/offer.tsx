import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { OFFER } from '../../../../../proto/states/offers.ts'
import { at, type Currency, command, ifMatch, market, type Offer, post, type Rfq } from '../api.ts'
import { useList, useOnce, useRecord } from '../data.ts'
import { amountText, daysAfter, number } from '../format.ts'
import { mayUse, orgId, permits } from '../me.ts'
import { OrgName, partTitle } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Documents } from '../ui/documents.tsx'
import { PartFiles } from '../ui/files.tsx'
import { amountOf, Field, Form, localDay, numberOf, textOf, timeOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { AfterAcceptance, ConfidentialityTerms, useOutlineFacts, useStanding } from './confidentiality.tsx'
import { useFactoryChoices } from './factory-choices.ts'
import { Terms } from './offer-terms.tsx'
import { OfferView } from './offer-view.tsx'
import { Questions } from './questions.tsx'
import { Decline, Declined, endedAccess, hasDeclined, termFacts } from './rfq-terms.tsx'

const moneyOf = (data: FormData, name: string, currency: Currency) => {
  const amount = amountOf(data, `${name}.amount`)
  return amount === undefined ? undefined : { amount, currency }
}

/** The content of the form. Fields without a text are sent as missing, so that the marketplace names them. */
const contentOf = (data: FormData, rows: readonly number[], currency: Currency) => ({
  factoryId: textOf(data, 'factoryId') as string,
  priceBreaks: rows.map((_, row) => ({
    minQuantity: numberOf(data, `priceBreaks.${row}.minQuantity`) as number,
    unitPrice: { amount: amountOf(data, `priceBreaks.${row}.unitPrice.amount`) as string, currency },
    leadTimeDays: numberOf(data, `priceBreaks.${row}.leadTimeDays`) as number,
  })),
  validUntil: timeOf(data, 'validUntil') as string,
  toolingCost: moneyOf(data, 'toolingCost', currency),
  shippingCost: moneyOf(data, 'shippingCost', currency),
  reference: textOf(data, 'reference'),
  paymentTerms: textOf(data, 'paymentTerms'),
  notes: textOf(data, 'notes'),
})

/** A draft with the response that it was read from. */
interface OpenedDraft {
  data: Offer
  response: Response
}

/** A new offer, or a draft as it is when the form opens: a change by another person or tab since then is not lost. */
function OfferForm({ rfq, draft, outdated }: { rfq: Rfq; draft: Offer | undefined; outdated: Offer | undefined }) {
  const begun = useRef(draft?.id).current
  const opened = useOnce<OpenedDraft>(begun, () => market.GET('/v1/offers/{id}', at(begun ?? '')))
  if (begun === undefined) return <OfferFields rfq={rfq} opened={undefined} outdated={undefined} />
  return <Shown read={opened}>{(found) => <OfferFields rfq={rfq} opened={found} outdated={outdated} />}</Shown>
}

type Line = Partial<NonNullable<Offer['priceBreaks']>[number]>

/**
 * The price breaks that the form begins with. An unchanged revision of an outdated offer gets those that are missing.
 */
function linesOf(rfq: Rfq, draft: Offer | undefined, outdated: Offer | undefined): Line[] {
  const breaks = draft?.priceBreaks
  if (!breaks) return rfq.quantities.map((minQuantity) => ({ minQuantity }))
  const isUnchanged = JSON.stringify(breaks) === JSON.stringify(outdated?.priceBreaks)
  const missing = rfq.quantities.filter((quantity) => breaks.every(({ minQuantity }) => minQuantity !== quantity))
  return [...breaks, ...(isUnchanged ? missing.map((minQuantity) => ({ minQuantity })) : [])]
}

interface OfferFieldsProps {
  rfq: Rfq
  opened: OpenedDraft | undefined
  /** The submitted offer for a former version of the RFQ that the draft revises. */
  outdated: Offer | undefined
}

function OfferFields({ rfq, opened, outdated }: OfferFieldsProps) {
  const first = opened?.data
  const lines = useRef(linesOf(rfq, first, outdated)).current
  /** The draft as it was read or saved last. */
  const known = useRef(opened?.response)
  const draftId = useSignal(first?.id)
  const rows = useSignal(lines.map((_, row) => row))
  const { currency } = rfq
  const factoryId = useSignal(first?.factoryId ?? '')
  const choices = useFactoryChoices(first?.factoryId)
  factoryId.value ||= choices?.[0]?.[0] ?? ''

  const save = async (data: FormData): Promise<Offer> => {
    const content = contentOf(data, rows.value, currency)
    const keep = async (saved: Promise<OpenedDraft>) => {
      const answer = await saved
      known.current = answer.response
      return answer
    }
    const id = draftId.value
    if (id === undefined || known.current === undefined) {
      const body = { rfqId: rfq.id, ...content } as never
      const offer = await command(() => keep(market.POST('/flows/v1/offers', { body })))
      draftId.value = offer.id
      return offer
    }
    const headers = ifMatch(known.current)
    // An optional field that was emptied is cleared.
    const { toolingCost = null, shippingCost = null, reference = null, paymentTerms = null, notes = null } = content
    const body = { ...content, toolingCost, shippingCost, reference, paymentTerms, notes }
    return command(() => keep(market.PATCH('/flows/v1/offers/{id}', { ...at(id), headers, body })))
  }
  const isToSubmit = (data: FormData) => data.get('then') === 'submit'
  const reviewed = useRef<Response>(undefined)
  /** The saved draft, so that the amounts are shown as the marketplace has read them. */
  const review = async (data: FormData) => {
    if (!isToSubmit(data)) return
    const { id } = await save(data)
    const { data: offer, response } = await market.GET('/v1/offers/{id}', at(id))
    reviewed.current = response
    return (
      <>
        <p>{t.offer.binding}</p>
        {rfq.sealed && <p class="hint">{t.offer.bindsOnceClosed}</p>}
        <Facts of={[[t.rfqs.consumer, <OrgName key="consumer" id={rfq.consumerOrgId} />]]} />
        <Terms offer={offer} />
      </>
    )
  }
  /** The draft is submitted as it was reviewed, or not at all. */
  const send = (data: FormData) =>
    isToSubmit(data) && reviewed.current
      ? post('/flows/v1/offers/{id}/submit', draftId.value ?? '', undefined, ifMatch(reviewed.current))
      : save(data)
  const isSaved = draftId.value !== undefined
  return (
    <Form
      onSend={send}
      review={review}
      submit={t.offer.saveDraft}
      tone=""
      buttons={
        permits('POST /flows/v1/offers/{id}/submit') && (
          <button type="submit" class="primary" name="then" value="submit">
            {t.offer.submit}
          </button>
        )
      }
    >
      {isSaved && <p class="quiet">{t.offer.draftSaved}</p>}
      {outdated?.rfqVersion !== undefined && rfq.version !== undefined && (
        <p class="hint">
          {fill(t.offer.newVersion, { from: number(outdated.rfqVersion), to: number(rfq.version) })}{' '}
          {rfq.amendmentReason}
        </p>
      )}
      <Field key={choices?.length} name="factoryId" label={t.rfqs.factory} text={factoryId} options={choices ?? []} />
      {choices?.length === 0 && (
        <p class="hint">
          {t.offer.noFactory} <a href="/console/factories">{t.nav.factories}</a>
        </p>
      )}
      <fieldset class="breaks">
        <legend>{t.offer.priceBreaks}</legend>
        {rows.value.map((key, row) => (
          <div key={key} class="break">
            <Field
              name={`priceBreaks.${row}.minQuantity`}
              label={t.offer.minQuantity}
              type="number"
              value={String(lines[key]?.minQuantity ?? '')}
            />
            <Field
              name={`priceBreaks.${row}.unitPrice.amount`}
              label={`${t.comparison.unitPrice}, ${currency}`}
              type="number"
              value={amountText(lines[key]?.unitPrice?.amount)}
            />
            <Field
              name={`priceBreaks.${row}.leadTimeDays`}
              label={t.offer.leadTimeDays}
              type="number"
              value={lines[key]?.leadTimeDays?.toString()}
            />
            <button
              type="button"
              disabled={rows.value.length === 1}
              aria-label={`${t.ui.remove} ${number(row + 1)}`}
              onClick={() => {
                rows.value = rows.value.filter((each) => each !== key)
              }}
            >
              ×
            </button>
          </div>
        ))}
        <button
          type="button"
          onClick={() => {
            rows.value = [...rows.value, Math.max(...rows.value) + 1]
          }}
        >
          {t.offer.addBreak}
        </button>
      </fieldset>
      <div class="columns">
        <Field
          name="toolingCost.amount"
          label={`${t.comparison.tooling}, ${currency}`}
          type="number"
          value={amountText(first?.toolingCost?.amount)}
          isOptional
        />
        <Field
          name="shippingCost.amount"
          label={`${t.comparison.shipping}, ${currency}`}
          type="number"
          value={amountText(first?.shippingCost?.amount)}
          isOptional
        />
        <Field
          name="validUntil"
          label={t.comparison.validUntil}
          type="date"
          value={localDay(first?.validUntil ?? daysAfter(Date.parse(rfq.expireTime), 30))}
        />
      </div>
      <div class="columns">
        <Field name="reference" label={t.offer.reference} value={first?.reference} isOptional />
        <Field
          name="paymentTerms"
          label={t.rfqs.paymentTerms}
          value={first?.paymentTerms ?? rfq.paymentTerms}
          isOptional
        />
      </div>
      <Field name="notes" label={t.offer.notes} rows={4} value={first?.notes} isOptional />
    </Form>
  )
}

function Offers({ rfq }: { rfq: Rfq }) {
  const list = useList('/v1/offers', { query: { view: 'MANUFACTURER', rfqId: rfq.id } })
  const mayOffer = rfq.state === 'OPEN' && permits('POST /flows/v1/offers')
  const wasOffering = useRef(false)
  return (
    <Shown read={list}>
      {(offers) => {
        const draft = offers.find(({ state }) => state === 'DRAFT')
        const others = offers
          .filter(({ state }) => state !== 'DRAFT')
          .toSorted((a, b) => Number(b.state === 'SUBMITTED') - Number(a.state === 'SUBMITTED'))
        const isLive = others.some(({ state }) => state === 'SUBMITTED' || state === 'ACCEPTED')
        const isWanted = draft !== undefined || !isLive
        // The form stays when the permission or the RFQ ends, so that its text and the refusal do.
        wasOffering.current = isWanted && !hasDeclined(rfq) && (mayOffer || wasOffering.current)
        return (
          <div class="stack">
            {wasOffering.current && (
              <Section title={draft ? fill(t.offer.draft, { revision: number(draft.revision) }) : t.offer.yours}>
                <OfferForm rfq={rfq} draft={draft} outdated={others.find(({ isOutdated }) => isOutdated)} />
              </Section>
            )}
            {draft && <Documents of="offer" id={draft.id} mayAdd={mayUse(OFFER, 'updateFiles', draft)} />}
            {others.map((offer) => (
              <OfferView key={offer.id} offer={offer} rfq={rfq} />
            ))}
            {!wasOffering.current && others.length === 0 && !hasDeclined(rfq) && <Empty>{t.offer.closed}</Empty>}
          </div>
        )
      }}
    </Shown>
  )
}

/** An offer needs the acceptance of the terms, where the RFQ has some. */
function OffersOnceAccepted({ rfq }: { rfq: Rfq }) {
  const standing = useStanding(rfq)
  return (
    <div class="stack">
      <Declined rfq={rfq} />
      <ConfidentialityTerms rfq={rfq} />
      {(standing === 'free' || standing === 'accepted') && <Offers rfq={rfq} />}
    </div>
  )
}

/** What is asked for. */
const Asked = ({ rfq }: { rfq: Rfq }) => (
  <Section title={t.rfqs.request}>
    <Facts
      of={[
        [t.rfqs.consumer, <OrgName key="consumer" id={rfq.consumerOrgId} />],
        ...useOutlineFacts(rfq),
        ...termFacts(rfq),
        [t.rfqs.requirements, rfq.requirements],
      ]}
    />
  </Section>
)

/** The offer of the caller's organization for an RFQ, beside what is asked for. */
export function OfferScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/v1/rfqs/{id}', { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(rfq) => (
        <Page
          title={t.offer.title}
          over={
            <>
              <a href={`/console/rfqs/${id}`}>{rfq.serialNumber}</a> · {partTitle(rfq.partId, rfq.serialNumber)}
            </>
          }
          badge={hasDeclined(rfq) ? <Badge of="invitation" state="DECLINED" /> : <Badge of="rfq" state={rfq.state} />}
          actions={<Decline rfq={rfq} />}
        >
          <div class="beside">
            {rfq.consumerOrgId === orgId.value ? <Empty>{t.offer.own}</Empty> : <OffersOnceAccepted rfq={rfq} />}
            <div class="stack">
              <Asked rfq={rfq} />
              <AfterAcceptance rfq={rfq}>
                {rfq.version !== undefined && rfq.consumerOrgId !== orgId.value && !hasDeclined(rfq) && (
                  <Questions rfq={rfq} />
                )}
                <Documents of="rfq" id={id} title={t.documents.ofRequest} />
                <PartFiles partId={rfq.partId} revision={rfq.partRevision} ended={endedAccess(rfq)} />
              </AfterAcceptance>
            </div>
          </div>
        </Page>
      )}
    </Shown>
  )
}
