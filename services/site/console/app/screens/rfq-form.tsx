import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { numbersIn } from '../amounts.ts'
import { type Currency, command, type Incoterm, market, patch, type Rfq, type RfqInput } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { t } from '../texts.ts'
import { CountryField } from '../ui/choices.tsx'
import { Field, Form, localTime, textOf, timeOf } from '../ui/form.tsx'
import { bind, Search } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'

const INCOTERMS = ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF'] satisfies Incoterm[]
const DAY_MS = 86_400_000

/** What a person has typed; what is missing or wrong is named by the marketplace. */
function contentOf(data: FormData) {
  const incoterm = textOf(data, 'incoterm') as Incoterm | undefined
  const requirements = textOf(data, 'requirements')
  return {
    quantities: numbersIn(textOf(data, 'quantities') ?? ''),
    expireTime: timeOf(data, 'expireTime') as string,
    currency: textOf(data, 'currency') as Currency,
    deliveryRegionCode: textOf(data, 'deliveryRegionCode') as string,
    sealed: data.has('sealed'),
    ...(incoterm && { incoterm }),
    ...(requirements && { requirements }),
  }
}

export const RfqFields = ({ rfq }: { rfq?: Rfq }) => (
  <>
    <Field
      name="quantities"
      label={t.rfqs.quantities}
      hint={t.rfqs.quantitiesHint}
      value={rfq?.quantities.join(', ') ?? ''}
    />
    <div class="columns">
      <Field
        name="expireTime"
        label={t.rfqs.closes}
        type="datetime-local"
        value={localTime(rfq?.expireTime ?? new Date(Date.now() + 14 * DAY_MS).toISOString())}
      />
      <Field
        name="currency"
        label={t.rfqs.currency}
        value={rfq?.currency ?? 'EUR'}
        options={Intl.supportedValuesOf('currency').map((code) => [code, code])}
      />
    </div>
    <div class="columns">
      <CountryField name="deliveryRegionCode" label={t.rfqs.country} value={rfq?.deliveryRegionCode} />
      <Field
        name="incoterm"
        label={t.rfqs.incoterm}
        value={rfq?.incoterm ?? ''}
        options={[['', '–'], ...INCOTERMS.map((term) => [term, term] as const)]}
      />
    </div>
    <Field name="requirements" label={t.rfqs.requirements} rows={4} value={rfq?.requirements} isOptional />
    <Field
      name="sealed"
      label={t.rfqs.sealed}
      hint={t.rfqs.sealedHint}
      type="checkbox"
      value={String(rfq?.sealed ?? false)}
    />
  </>
)

/** Changes a draft; a field that was emptied is cleared. */
export const patchRfq = (id: string, data: FormData, headers: { 'If-Match': string }) => {
  const body = { incoterm: null, requirements: null, ...contentOf(data) }
  return patch('/flows/v1/rfqs/{id}', id, body, headers)
}

/** The chosen part stays among the options, whatever else is found. */
function PartChoice({ partId }: { partId: string }) {
  const q = useSignal('')
  const chosen = useSignal(partId)
  const list = useList('/flows/v1/parts', { query: { view: 'CONSUMER', ...(q.value && { q: q.value }) } })
  const { data: named } = useRecord(chosen.value === '' ? undefined : '/v1/parts/{id}', { path: { id: chosen.value } })
  const parts = new Map([...(named ? [named] : []), ...(list.data ?? [])].map((part) => [part.id, part]))
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
          <PartChoice partId={query.part ?? ''} />
          <RfqFields />
        </Form>
      </section>
    </Page>
  )
}
