import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { numbersIn } from '../amounts.ts'
import {
  type Currency,
  command,
  type DocumentKind,
  type Incoterm,
  market,
  patch,
  type Rfq,
  type RfqInput,
} from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { daysAfter } from '../format.ts'
import { orgId } from '../me.ts'
import { t } from '../texts.ts'
import { Choices, CountryField, chosenIn } from '../ui/choices.tsx'
import { setIn } from '../ui/filters.ts'
import { Field, Form, localTime, textOf, textsOf, timeOf } from '../ui/form.tsx'
import { bind, Search } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'

const INCOTERMS = ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF'] satisfies Incoterm[]

/** What a person has typed; what is missing or wrong is named by the marketplace. */
export function contentOf(data: FormData) {
  return {
    quantities: numbersIn(textOf(data, 'quantities') ?? ''),
    expireTime: timeOf(data, 'expireTime') as string,
    currency: textOf(data, 'currency') as Currency,
    deliveryRegionCode: textOf(data, 'deliveryRegionCode') as string,
    sealed: data.has('sealed'),
    ...(textsOf(data, 'incoterm') as { incoterm?: Incoterm }),
    ...textsOf(data, 'requirements', 'confidentialityTerms'),
    ...definedIn(termsOf(data, textOf(data, 'deliveryRegionCode') as string)),
    ...(data.has('releaseFiles') && { releaseFiles: true }),
  }
}

const definedIn = (terms: ReturnType<typeof termsOf>) =>
  Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== null))

/** The terms of the delivery; null for what was not typed. */
export function termsOf(data: FormData, regionCode: string) {
  const [name, lines, postalCode, locality] = ['name', 'lines', 'postalCode', 'locality'].map((field) =>
    textOf(data, `delivery.${field}`),
  )
  const hasDelivery = [name, lines, postalCode, locality].some((text) => text !== undefined)
  return {
    requestedDeliveryDate: textOf(data, 'requestedDeliveryDate') ?? null,
    paymentTerms: textOf(data, 'paymentTerms') ?? null,
    delivery: hasDelivery
      ? {
          name: name as string,
          lines: (lines ?? '').split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()])),
          ...(postalCode && { postalCode }),
          locality: locality as string,
          regionCode,
        }
      : null,
    requiredDocuments: chosenIn<DocumentKind>(data, 'requiredDocuments'),
  }
}

interface DeliveryFieldsProps {
  rfq: Rfq | undefined
  closes: string
  /** The country of a draft. */
  children?: ComponentChildren
}

/** Fields of the delivery. An amendment may change all but the country. */
export const DeliveryFields = ({ rfq, closes, children }: DeliveryFieldsProps) => {
  const day = useSignal(rfq?.requestedDeliveryDate ?? '')
  return (
    <>
      <Field
        name="requestedDeliveryDate"
        label={t.rfqs.requestedDeliveryDate}
        type="date"
        text={day}
        problem={day.value !== '' && day.value < utcDay(closes) ? t.rfqs.deliveryBeforeExpiry : undefined}
        isOptional
      />
      <fieldset class="stack">
        <legend>{t.rfqs.delivery}</legend>
        {children}
        <small class="quiet">{t.rfqs.deliveryHint}</small>
        <Field name="delivery.name" label={t.rfqs.recipient} value={rfq?.delivery?.name} isOptional />
        <Field
          name="delivery.lines"
          label={t.rfqs.addressLines}
          rows={2}
          value={rfq?.delivery?.lines?.join('\n')}
          isOptional
        />
        <div class="columns">
          <Field name="delivery.postalCode" label={t.rfqs.postalCode} value={rfq?.delivery?.postalCode} isOptional />
          <Field name="delivery.locality" label={t.rfqs.locality} value={rfq?.delivery?.locality} isOptional />
        </div>
      </fieldset>
      <Choices
        name="requiredDocuments"
        label={t.rfqs.requiredDocuments}
        options={Object.entries(t.documentKinds)}
        chosen={rfq?.requiredDocuments ?? []}
      />
    </>
  )
}

/** The day (UTC) of a local date and time. */
const utcDay = (local: string) => (local === '' ? '' : new Date(local).toISOString().slice(0, 10))
const isPast = (local: string) => local !== '' && Date.parse(local) <= Date.now()

interface RfqFieldsProps {
  rfq?: Rfq
  /** Whether the organization owns the part, so that it may release its confidential files. */
  isOwnPart?: boolean
  /** The terms of all lines, whose quantities are apart. */
  ofPackage?: boolean
}

export const RfqFields = ({ rfq, isOwnPart = true, ofPackage = false }: RfqFieldsProps) => {
  const closes = useSignal(localTime(rfq?.expireTime ?? daysAfter(Date.now(), 14)))
  return (
    <>
      {!ofPackage && (
        <Field
          name="quantities"
          label={t.rfqs.quantities}
          hint={t.rfqs.quantitiesHint}
          value={rfq?.quantities.join(', ') ?? ''}
        />
      )}
      <div class="columns">
        <Field
          name="expireTime"
          label={t.rfqs.closes}
          type="datetime-local"
          text={closes}
          problem={isPast(closes.value) ? t.rfqs.expiryPast : undefined}
        />
        <Field
          name="currency"
          label={t.rfqs.currency}
          value={rfq?.currency ?? 'EUR'}
          options={Intl.supportedValuesOf('currency').map((code) => [code, code])}
        />
      </div>
      <Field name="requirements" label={t.rfqs.requirements} rows={4} value={rfq?.requirements} isOptional />
      <Field name="paymentTerms" label={t.rfqs.paymentTerms} value={rfq?.paymentTerms} isOptional />
      <Field
        name="incoterm"
        label={t.rfqs.incoterm}
        value={rfq?.incoterm ?? ''}
        options={[['', '–'], ...INCOTERMS.map((term) => [term, term] as const)]}
      />
      <DeliveryFields rfq={rfq} closes={closes.value}>
        <CountryField name="deliveryRegionCode" label={t.rfqs.country} value={rfq?.deliveryRegionCode} />
      </DeliveryFields>
      <Field
        name="sealed"
        label={t.rfqs.sealed}
        hint={t.rfqs.sealedHint}
        type="checkbox"
        value={String(rfq?.sealed ?? false)}
      />
      <Field
        name="confidentialityTerms"
        label={t.confidentiality.terms}
        hint={t.confidentiality.termsHint}
        rows={4}
        value={rfq?.confidentialityTerms}
        isOptional
      />
      {isOwnPart && (
        <Field
          name="releaseFiles"
          label={t.confidentiality.releaseAtOnce}
          hint={t.confidentiality.releaseAtOnceHint}
          type="checkbox"
          value={String(rfq?.releaseFiles ?? false)}
        />
      )}
    </>
  )
}

/** Changes a draft; a field that was emptied is cleared. */
export const patchRfq = (id: string, data: FormData, headers: { 'If-Match': string }) => {
  const cleared = {
    ...{ incoterm: null, requirements: null, requestedDeliveryDate: null, paymentTerms: null, delivery: null },
    ...{ requiredDocuments: null, confidentialityTerms: null, releaseFiles: null },
  }
  const body = { ...cleared, ...contentOf(data) }
  return patch('/flows/v1/rfqs/{id}', id, body, headers)
}

/** The chosen part stays among the options, whatever else is found. */
function PartChoice({ chosen }: { chosen: Signal<string> }) {
  const q = useSignal('')
  const search = setIn({ q })
  const list = useList('/flows/v1/parts', { query: { view: 'CONSUMER', ...search } })
  // Own parts may be internal.
  const own = useList('/flows/v1/parts', { query: { view: 'IP_OWNER', ...search } })
  const { data: named } = useRecord(chosen.value === '' ? undefined : '/v1/parts/{id}', { path: { id: chosen.value } })
  const parts = new Map(
    [...(named ? [named] : []), ...(own.data ?? []), ...(list.data ?? [])].map((part) => [part.id, part]),
  )
  const options = [
    ['', t.rfqs.choosePart] as const,
    ...[...parts.values()].map(({ id, title, serialNumber }) => [id, `${title ?? ''} (${serialNumber})`] as const),
  ]
  return (
    <div class="columns">
      <Search {...bind(q)} />
      {/* New options make a new field. */}
      <Field key={options.map(([id]) => id).join()} name="partId" label={t.rfqs.part} text={chosen} options={options} />
    </div>
  )
}

/** A new RFQ, which is a draft until it is published. */
export function NewRfq() {
  const { query, route } = useLocation()
  const chosen = useSignal(query.part ?? '')
  const { data: part } = useRecord(chosen.value === '' ? undefined : '/v1/parts/{id}', { path: { id: chosen.value } })
  const create = async (data: FormData) => {
    const body: RfqInput = { partId: textOf(data, 'partId') ?? '', ...contentOf(data) }
    const { id } = await command(() => market.POST('/flows/v1/rfqs', { body }))
    route(`/console/rfqs/${id}`)
  }
  return (
    <Page title={t.rfqs.create} over={<a href="/console/rfqs">{t.nav.rfqs}</a>}>
      <section class="panel narrow">
        <p class="quiet">{t.rfqs.createHint}</p>
        <Form onSend={create} submit={t.rfqs.saveDraft}>
          <PartChoice chosen={chosen} />
          <RfqFields isOwnPart={part?.ipOwnerOrgId === orgId.value} />
        </Form>
      </section>
    </Page>
  )
}
