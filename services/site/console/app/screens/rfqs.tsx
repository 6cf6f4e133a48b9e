import { RFQ } from '../../../../../proto/states/rfqs.ts'
import type { ListedRfqPackage, Rfq, RfqState } from '../api.ts'
import { useList } from '../data.ts'
import { date, fromNow, number, time } from '../format.ts'
import { can, orgId, permits } from '../me.ts'
import { OrgName, partTitle } from '../names.tsx'
import { counted, t } from '../texts.ts'
import { setIn, useFilter } from '../ui/filters.ts'
import type { Group } from '../ui/groups.ts'
import { Icon } from '../ui/icon.tsx'
import { bind, type Column, Filter, ListTable, Search, StateFilter, Tick } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'

type View = 'CONSUMER' | 'MANUFACTURER' | 'IP_OWNER'
const VIEWS = [
  ['CONSUMER', t.rfqs.views.CONSUMER, () => can('app:consumer')],
  ['MANUFACTURER', t.rfqs.views.MANUFACTURER, () => can('app:manufacturer')],
  ['IP_OWNER', t.rfqs.views.IP_OWNER, () => can('app:ip-owner')],
] as const

const isRunning = ({ state }: Rfq) => state === 'OPEN' || state === 'DRAFT'

/** When an RFQ closes, or when it was closed, awarded or cancelled: nothing else changes it after its end. */
export const closingOf = (rfq: Rfq): readonly [term: string, text: string] =>
  isRunning(rfq)
    ? [t.rfqs.closes, `${time(rfq.expireTime)}${rfq.state === 'OPEN' ? ` (${fromNow(rfq.expireTime)})` : ''}`]
    : [t.states.rfq[rfq.state], time(rfq.updatedTime)]

const columns = (view: View): readonly Column<Rfq>[] => [
  {
    label: t.rfqs.part,
    cell: ({ id, partId, serialNumber }) => (
      <>
        <a href={`/console/rfqs/${id}`}>{partTitle(partId, serialNumber)}</a>{' '}
        <small class="quiet">{serialNumber}</small>
      </>
    ),
  },
  // Of one's own RFQs one is the consumer.
  ...(view === 'CONSUMER'
    ? []
    : [{ label: t.rfqs.consumer, cell: ({ consumerOrgId }: Rfq) => <OrgName id={consumerOrgId} /> }]),
  { label: t.rfqs.quantities, cell: ({ quantities }) => quantities.map(number).join(' · '), isNumber: true },
  {
    label: t.rfqs.closes,
    isWhole: true,
    cell: (rfq) =>
      isRunning(rfq) ? (
        <time dateTime={rfq.expireTime} title={time(rfq.expireTime)}>
          {fromNow(rfq.expireTime)}
        </time>
      ) : (
        <time dateTime={rfq.updatedTime} title={closingOf(rfq).join(': ')}>
          {t.states.rfq[rfq.state]}: {date(rfq.updatedTime)}
        </time>
      ),
  },
  {
    label: t.ui.state,
    isClear: true,
    cell: ({ state, invitation }) =>
      invitation?.state === 'DECLINED' ? <Badge of="invitation" state="DECLINED" /> : <Badge of="rfq" state={state} />,
  },
  { label: t.ui.nextStep, isClear: true, cell: (rfq) => <Next rfq={rfq} /> },
]

/** The lines of a package are shown together, below its name. */
const groupIn = (packages: readonly ListedRfqPackage[]): Group<Rfq> => ({
  keyOf: ({ packageId }) => packageId,
  head: (id, lines) => (
    <>
      <Icon name="layers" size={16} />{' '}
      <a href={`/console/packages/${id}`}>{packages.find((each) => each.id === id)?.title ?? t.packages.of}</a>{' '}
      <small class="quiet">{counted(t.packages.linesOf, lines.length, number(lines.length))}</small>
    </>
  ),
})

/** What an RFQ waits for: the caller, or other organizations. */
function Next({ rfq }: { rfq: Rfq }) {
  const { state, invitation, consumerOrgId, missingQuantity } = rfq
  const { next } = t.rfqs
  const isOwn = consumerOrgId === orgId.value
  if (isOwn && missingQuantity) return <span class="next own">{next.awardRest}</span>
  if (isOwn && state === 'DRAFT') return <span class="next own">{next.publish}</span>
  if (isOwn && state === 'CLOSED') return <span class="next own">{next.award}</span>
  if (isOwn && state === 'OPEN') return <span class="next">{next.wait}</span>
  if (state !== 'OPEN' || !rfq.manufacturerIds.includes(orgId.value)) return null
  return invitation?.state === 'DECLINED' ? null : (
    <span class={invitation?.state === 'OFFERED' ? 'next' : 'next own'}>
      {invitation?.state === 'OFFERED' ? next.decided : next.offer}
    </span>
  )
}

/** The RFQs of a role of the organization. */
export function Rfqs() {
  const views = VIEWS.filter(([, , isOwn]) => isOwn())
  const view = useFilter<View>(
    'view',
    views[0]?.[0] ?? 'CONSUMER',
    views.map(([each]) => each),
  )
  const state = useFilter<RfqState | ''>('state', '', RFQ.states)
  const q = useFilter('q', '')
  const hidesExpired = useFilter('hideExpired', '')
  const list = useList('/v1/rfqs', {
    query: { view: view.value, ...setIn({ state, q }), ...(hidesExpired.value && { excludeExpired: true }) },
  })
  const isGrouped = view.value !== 'IP_OWNER' && list.data?.some(({ packageId }) => packageId !== undefined)
  const packages = useList(isGrouped ? '/flows/v1/rfq-packages' : undefined, {
    query: { view: view.value === 'MANUFACTURER' ? 'MANUFACTURER' : 'CONSUMER', pageSize: 50 },
  })
  const create = permits('POST /flows/v1/rfqs') && (
    <a class="button primary" href="/console/rfqs/new">
      <Icon name="plus" size={16} />
      {t.rfqs.create}
    </a>
  )
  return (
    <Page
      title={t.nav.rfqs}
      actions={
        <>
          <a class="button" href="/console/packages">
            {t.packages.title}
          </a>
          {create}
        </>
      }
    >
      <section class="panel list">
        <div class="filters">
          {views.length > 1 && (
            <Filter label={t.rfqs.view} {...bind(view)} options={views.map(([value, label]) => [value, label])} />
          )}
          <StateFilter of="rfq" states={RFQ.states} state={state} />
          <Search {...bind(q)} />
          <Tick label={t.rfqs.hideExpired} {...bind(hidesExpired)} />
        </div>
        <ListTable
          caption={t.nav.rfqs}
          list={list}
          columns={columns(view.value)}
          empty={t.rfqs.empty}
          icon="clipboard-list"
          start={view.value === 'CONSUMER' && create}
          group={groupIn(packages.data ?? [])}
          picture={(rfq) => <Picture kind="rfq" url={pictureOf(rfq)} alt="" />}
        />
      </section>
    </Page>
  )
}
