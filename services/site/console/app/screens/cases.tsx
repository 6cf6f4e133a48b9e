import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { CASE_STATES, type CaseState } from '../../../../../proto/states/cases.ts'
import { type Case, command, market, type Order } from '../api.ts'
import { caseTitle } from '../case-title.ts'
import { useList } from '../data.ts'
import { date } from '../format.ts'
import { can, orgId, permits } from '../me.ts'
import { OrgName, orgName, partTitle } from '../names.tsx'
import { t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { Field, textOf, textsOf } from '../ui/form.tsx'
import { bind, type Column, Filter, ListTable, orAll, StateFilter } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Unread } from './case-messages.tsx'

type Kind = Case['kind']
const KINDS = Object.entries(t.cases.kinds) as [Kind, string][]

/** The record that a case is about. */
export function About({ of: { rfqId, orderId } }: { of: Case }) {
  if (rfqId) return <a href={`/console/rfqs/${rfqId}`}>{t.cases.rfq}</a>
  if (orderId) return <a href={`/console/orders/${orderId}`}>{t.cases.order}</a>
  return <span class="quiet">{t.cases.internal}</span>
}

/** The title of the part of the RFQs that the organization lists, by the id of the RFQ. */
export function usePartTitles(cases: readonly Case[]): (record: Case) => string {
  const rfqs = useList(cases.some(({ rfqId }) => rfqId) ? '/v1/rfqs' : undefined, {
    query: { excludeDrafts: true, pageSize: 50 },
  })
  return ({ rfqId }) => {
    const rfq = rfqs.data?.find(({ id }) => id === rfqId)
    return rfq ? partTitle(rfq.partId, '') : ''
  }
}

/** The other organizations of a case. */
export function Partners({ of: { partyOrgIds } }: { of: Case }) {
  const others = partyOrgIds.filter((id) => id !== orgId.value)
  return others.length === 0 ? (
    <span class="quiet">{t.cases.internal}</span>
  ) : (
    <span>{others.map((id) => orgName(id)).join(', ')}</span>
  )
}

const columns = (partOf: (record: Case) => string): readonly Column<Case>[] => [
  {
    label: t.cases.title,
    cell: (record) => (
      <>
        <a href={`/console/cases/${record.id}`}>{caseTitle(record)}</a> <small class="quiet">{partOf(record)}</small>{' '}
        <Unread of={record} />
      </>
    ),
  },
  { label: t.cases.parties, cell: (record) => <Partners of={record} /> },
  { label: t.cases.kind, cell: ({ kind }) => t.cases.kinds[kind], isWhole: true },
  { label: t.cases.about, cell: (record) => <About of={record} />, isWhole: true },
  { label: t.cases.openedBy, cell: ({ orgId }) => <OrgName id={orgId} /> },
  { label: t.parts.updated, cell: ({ updatedTime }) => date(updatedTime), isWhole: true },
  { label: t.ui.state, isClear: true, cell: ({ state }) => <Badge of="case" state={state} /> },
]

/** Content that a person has typed. */
export const CaseFields = ({ record }: { record?: Case }) => (
  <>
    <Field name="title" label={t.cases.title} value={record?.title} isFocused />
    <Field name="description" label={t.parts.description} rows={4} value={record?.description} isOptional />
  </>
)

const PARTIES = ['consumerOrgId', 'manufacturerOrgId', 'sellerOrgId', 'ipOwnerOrgId', 'distributorOrgId'] as const
const ROLES = {
  consumerOrgId: 'CONSUMER',
  manufacturerOrgId: 'MANUFACTURER',
  sellerOrgId: 'SELLER',
  ipOwnerOrgId: 'IP_OWNER',
  distributorOrgId: 'DISTRIBUTOR',
} as const

/** The other organizations of an order by name, each with its roles. */
function partiesOf(order: Order): [id: string, name: string][] {
  const ids = new Set(PARTIES.flatMap((party) => order[party] ?? []))
  ids.delete(orgId.value)
  return [...ids].map((id) => {
    const roles = PARTIES.filter((party) => order[party] === id).map((party) => t.orgRoles[ROLES[party]])
    return [id, `${orgName(id)} (${roles.join(', ')})`]
  })
}

/** The organizations of the order that see a new quality case; all of them if none is chosen. */
function PartyChoices({ order }: { order: Order }) {
  const parties = partiesOf(order)
  if (parties.length < 2) return null
  return (
    <Choices key={order.id} name="partyOrgIds" label={t.cases.parties} hint={t.cases.noneIsAll} options={parties} />
  )
}

/** A record that a new case can be about. */
interface AboutOption {
  value: string
  text: string
  order: Order | undefined
}

/** The kind of a new case, and the newest records that it can be about or those that are searched for. */
function AboutFields() {
  const kind = useSignal<string>('QUALITY')
  const about = useSignal('')
  const q = useSignal('')
  const timer = useRef(0)
  const kept = useRef<AboutOption | undefined>(undefined)
  const query = { pageSize: 50, ...setIn({ q }) }
  const own = useList(can('app:consumer') ? '/v1/rfqs' : undefined, { query: { ...query, view: 'CONSUMER' } })
  const invited = useList(can('app:manufacturer') ? '/v1/rfqs' : undefined, {
    query: { ...query, view: 'MANUFACTURER' },
  })
  const orders = useList('/flows/v1/orders', { query })
  const label = (what: string, { serialNumber, partId }: { serialNumber: string; partId: string }) =>
    `${what} ${serialNumber}: ${partTitle(partId)}`
  const rfqs = [...(own.data ?? []), ...(invited.data ?? [])].filter(
    ({ state }) => state === 'OPEN' || state === 'CLOSED',
  )
  const found: AboutOption[] = [
    ...(orders.data ?? []).map((order) => ({
      value: `orderId ${order.id}`,
      text: label(t.cases.order, order),
      order,
    })),
    ...rfqs.map((rfq) => ({ value: `rfqId ${rfq.id}`, text: label(t.cases.rfq, rfq), order: undefined })),
  ]
  const isChosen = ({ value }: AboutOption) => value === about.value
  const chosen = found.find(isChosen) ?? (kept.current && isChosen(kept.current) ? kept.current : undefined)
  kept.current = chosen
  const options = chosen && !found.includes(chosen) ? [chosen, ...found] : found
  const search = (text: string) => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      q.value = text.trim()
    }, 300)
  }
  return (
    <>
      <Field name="kind" label={t.cases.kind} text={kind} options={KINDS} />
      <label class="field">
        {t.cases.find}
        <input
          type="search"
          maxLength={200}
          onInput={({ currentTarget }) => search(currentTarget.value)}
          onKeyDown={(event) => {
            // A search does not send the case.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      </label>
      <Field
        name="about"
        label={t.cases.about}
        text={about}
        options={[['', t.cases.internal], ...options.map(({ value, text }) => [value, text] as const)]}
      />
      {chosen?.order && kind.value === 'QUALITY' && <PartyChoices order={chosen.order} />}
    </>
  )
}

export function Cases() {
  const { route } = useLocation()
  const kind = useFilter<Kind | ''>(
    'kind',
    '',
    KINDS.map(([each]) => each),
  )
  const state = useFilter<CaseState | ''>('state', '', CASE_STATES)
  const list = useList('/flows/v1/cases', { query: setIn({ kind, state }) })
  const partOf = usePartTitles(list.data ?? [])
  const create = async (data: FormData) => {
    const [field = '', about = ''] = textOf(data, 'about')?.split(' ') ?? []
    const partyOrgIds = chosenIn(data, 'partyOrgIds')
    const body = {
      kind: textOf(data, 'kind') as Kind,
      title: textOf(data, 'title') ?? '',
      ...textsOf(data, 'description'),
      ...(field && { [field]: about }),
      ...(partyOrgIds.length > 0 && { partyOrgIds }),
    }
    const { id } = await command(() => market.POST('/flows/v1/cases', { body }))
    route(`/console/cases/${id}`)
  }
  return (
    <Page
      title={t.nav.cases}
      actions={
        <Action
          label={t.cases.create}
          hint={t.cases.createHint}
          when={permits('POST /flows/v1/cases')}
          isPrimary
          onRun={create}
          form={{ pathOf: (field) => (field === 'orderId' || field === 'rfqId' ? 'about' : field) }}
        >
          <CaseFields />
          <AboutFields />
        </Action>
      }
    >
      <section class="panel list">
        <div class="filters">
          <Filter label={t.cases.kind} {...bind(kind)} options={orAll(KINDS)} />
          <StateFilter of="case" states={CASE_STATES} state={state} />
        </div>
        <ListTable
          caption={t.nav.cases}
          list={list}
          columns={columns(partOf)}
          empty={t.cases.empty}
          icon="messages-square"
          picture={(record) => <Picture kind="case" url={pictureOf(record)} alt="" />}
        />
      </section>
    </Page>
  )
}
