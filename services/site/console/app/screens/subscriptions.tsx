import { SUBSCRIPTION, SUBSCRIPTION_STATES, type SubscriptionState } from '../../../../../proto/states/subscriptions.ts'
import { command, market, type Part, post, remove, type Subscription } from '../api.ts'
import { useList } from '../data.ts'
import { date } from '../format.ts'
import { can, mayUse, orgId } from '../me.ts'
import { OrgName, PartTitle } from '../names.tsx'
import { t } from '../texts.ts'
import { Action, optionalReason, Reason } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { Field, textOf, timeOf } from '../ui/form.tsx'
import { bind, type Column, Filter, ListTable, More, StateFilter } from '../ui/list.tsx'
import { OrgField, orgIn } from '../ui/org-field.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Loading } from '../ui/states.tsx'

type Body = { partId?: string; ipOwnerOrgId?: string; consumerOrgId?: string; expireTime?: string }

const create = (body: Body) => command(() => market.POST('/flows/v1/subscriptions', { body }))

function termsOf(data: FormData) {
  const expireTime = timeOf(data, 'expireTime')
  return expireTime === undefined ? {} : { expireTime }
}

const Expiry = () => <Field name="expireTime" label={t.subscriptions.ends} type="date" isOptional />

/** The request of a consumer for a part, or for all parts of an IP owner. */
export function RequestPart({ part: { id: partId, ipOwnerOrgId } }: { part: Part }) {
  const live = useLiveSubscriptions({ partId, ipOwnerOrgId })
  return (
    <Action
      label={t.subscriptions.request}
      hint={t.subscriptions.requestHint}
      when={live?.length === 0 && can('rfq:create')}
      onRun={(data) => create({ partId, ...termsOf(data) })}
    >
      <Expiry />
    </Action>
  )
}

/** The requested and active subscriptions of the caller's organization that include a part. */
export function useLiveSubscriptions(to: { partId: string; ipOwnerOrgId: string } | undefined) {
  const path = to && '/flows/v1/subscriptions'
  const query = { view: 'CONSUMER', partnerOrgId: to?.ipOwnerOrgId ?? '', pageSize: 50 } as const
  const reads = [
    useList(path, { query: { ...query, state: 'REQUESTED' } }).data,
    useList(path, { query: { ...query, state: 'ACTIVE' } }).data,
  ]
  if (reads.includes(undefined)) return undefined
  return reads.flatMap((each) => each ?? []).filter((each) => each.partId === undefined || each.partId === to?.partId)
}

const RequestAll = () => (
  <Action
    label={t.subscriptions.request}
    hint={t.subscriptions.requestAllHint}
    when={can('rfq:create')}
    onRun={(data) => create({ ipOwnerOrgId: orgIn(data, 'ipOwnerOrgId') ?? '', ...termsOf(data) })}
  >
    <OrgField
      name="ipOwnerOrgId"
      label={t.orgRoles.IP_OWNER}
      idLabel={t.subscriptions.ownerId}
      place="ipOwnerOrgId"
      isFocused
    />
    <Expiry />
  </Action>
)

/** The own parts, read while the dialog is open. */
function PartField() {
  const parts = useList('/flows/v1/parts', { query: { view: 'IP_OWNER' } })
  if (!parts.data) return <Loading lines={1} />
  const options = parts.data.map(({ id, title, serialNumber }) => [id, title ?? serialNumber] as const)
  return (
    <>
      <Field name="partId" label={t.parts.part} options={[['', t.subscriptions.allParts], ...options]} />
      <More list={parts} />
    </>
  )
}

function Grant() {
  const grant = (data: FormData) => {
    const partId = textOf(data, 'partId')
    const consumerOrgId = orgIn(data, 'consumerOrgId') ?? ''
    return create({ consumerOrgId, ...(partId && { partId }), ...termsOf(data) })
  }
  return (
    <Action
      label={t.subscriptions.grant}
      hint={t.subscriptions.grantHint}
      when={can('part:publish') && can('app:ip-owner')}
      onRun={grant}
    >
      <OrgField
        name="consumerOrgId"
        label={t.orgRoles.CONSUMER}
        idLabel={t.subscriptions.consumerId}
        place="consumerOrgId"
        isFocused
      />
      <PartField />
      <Expiry />
    </Action>
  )
}

function Steps({ subscription }: { subscription: Subscription }) {
  const { id } = subscription
  const may = (verb: 'accept' | 'decline') => mayUse(SUBSCRIPTION, verb, subscription)
  return (
    <div class="actions">
      <Action
        label={t.subscriptions.accept}
        hint={t.subscriptions.acceptHint}
        when={may('accept')}
        onRun={() => post('/flows/v1/subscriptions/{id}/accept', id)}
      />
      <Action
        label={t.verbs.decline}
        when={may('decline')}
        isDangerous
        onRun={(data) => post('/flows/v1/subscriptions/{id}/decline', id, optionalReason(data))}
      >
        <Reason isOptional />
      </Action>
      <Action
        label={subscription.state === 'REQUESTED' ? t.verbs.withdraw : t.subscriptions.end}
        hint={subscription.state === 'REQUESTED' ? t.subscriptions.withdrawHint : t.subscriptions.endHint}
        when={mayEnd(subscription)}
        isDangerous
        onRun={() => remove('/flows/v1/subscriptions/{id}', { id })}
      />
    </div>
  )
}

/** Each side has a permission of its own; an IP owner declines a request instead. */
const mayEnd = ({ state, consumerOrgId, ipOwnerOrgId }: Subscription) =>
  SUBSCRIPTION.isLegal('delete', state) &&
  ((consumerOrgId === orgId.value && can('rfq:create')) ||
    (ipOwnerOrgId === orgId.value && can('part:publish') && state !== 'REQUESTED'))

const VIEWS = ['CONSUMER', 'IP_OWNER'] as const
type View = (typeof VIEWS)[number]

const columnsOf = (view: View): readonly Column<Subscription>[] => [
  {
    label: t.parts.part,
    cell: ({ partId }) =>
      partId ? (
        <a href={`/console/parts/${partId}`}>
          <PartTitle id={partId} />
        </a>
      ) : (
        t.subscriptions.allParts
      ),
  },
  {
    label: view === 'CONSUMER' ? t.orgRoles.IP_OWNER : t.orgRoles.CONSUMER,
    cell: ({ ipOwnerOrgId, consumerOrgId }) => <OrgName id={view === 'CONSUMER' ? ipOwnerOrgId : consumerOrgId} />,
  },
  { label: t.subscriptions.ends, cell: ({ expireTime }) => (expireTime ? date(expireTime) : '–'), isWhole: true },
  { label: t.ui.reason, cell: ({ reason }) => reason ?? '' },
  { label: t.ui.state, cell: ({ state }) => <Badge of="subscription" state={state} /> },
  { label: t.ui.actions, cell: (subscription) => <Steps subscription={subscription} /> },
]

/** The subscriptions of an organization as consumer, and those to its parts. */
export function Subscriptions() {
  const view = useFilter<View>('view', can('app:consumer') ? 'CONSUMER' : 'IP_OWNER', VIEWS)
  const state = useFilter<SubscriptionState | ''>('state', '', SUBSCRIPTION_STATES)
  const list = useList('/flows/v1/subscriptions', { query: { view: view.value, ...setIn({ state }) } })
  return (
    <Page title={t.nav.subscriptions} actions={view.value === 'CONSUMER' ? <RequestAll /> : <Grant />}>
      <section class="panel list">
        <p class="quiet">{t.subscriptions.about}</p>
        <div class="filters">
          <Filter
            label={t.rfqs.view}
            {...bind(view)}
            options={VIEWS.map((each) => [each, t.subscriptions.views[each]])}
          />
          <StateFilter of="subscription" states={SUBSCRIPTION_STATES} state={state} />
        </div>
        <ListTable
          caption={t.nav.subscriptions}
          list={list}
          columns={columnsOf(view.value)}
          empty={t.subscriptions.empty}
        />
      </section>
    </Page>
  )
}
