import type { ComponentChildren } from 'preact'
import type { InboxItem } from '../api.ts'
import { caseTitle } from '../case-title.ts'
import { useList, useRecord } from '../data.ts'
import { date, fromNow, number } from '../format.ts'
import { can, me, orgId, permits } from '../me.ts'
import { orgName } from '../names.tsx'
import { counted, fill, t } from '../texts.ts'
import { setIn, useFilter } from '../ui/filters.ts'
import { bind, Filter, More, openRow, orAll } from '../ui/list.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Picture, type PictureKind, pictureOf } from '../ui/picture.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { FirstSteps } from './first-steps.tsx'
import { Standing } from './standing.tsx'

type Kind = InboxItem['kind']
const KINDS = Object.entries(t.inbox.kinds) as [Kind, string][]

/** Where a person does what an item waits for. */
function pathOf({ kind, record, parent }: InboxItem): string {
  if (record.type === 'rfqPackage') return `/console/packages/${record.id}`
  const rfq = `/console/rfqs/${parent?.type === 'rfq' ? parent.id : record.id}`
  if (kind === 'INVITATION' || kind === 'OUTDATED_OFFER' || kind === 'OFFER_TO_REINSTATE') return `${rfq}/offer`
  if (kind === 'OFFERS_TO_COMPARE') return `${rfq}/comparison`
  if (record.type === 'rfq' || record.type === 'emailInvitation') return rfq
  if (record.type === 'order') return `/console/orders/${record.id}`
  if (record.type === 'subscription') return '/console/subscriptions?view=IP_OWNER'
  if (record.type === 'salesAgreement') return '/console/sales-agreements'
  if (parent?.type === 'order') return `/console/orders/${parent.id}`
  return `/console/cases/${parent?.id ?? record.id}`
}

interface Waiting {
  id: string
  href: string
  icon: ComponentChildren
  title: ComponentChildren
  detail: ComponentChildren
  end: ComponentChildren
}

// biome-ignore-start lint/a11y: the link of a row has the keyboard.
const Items = ({ items }: { items: readonly Waiting[] }) => (
  <ul class="items waiting" onClick={openRow}>
    {items.map(({ id, href, icon, title, detail, end }) => (
      <li key={id}>
        <span class="lead">
          {icon}
          <span>
            <a href={href}>{title}</a>
            <br />
            <small class="quiet">{detail}</small>
          </span>
        </span>
        <span class="end">{end}</span>
      </li>
    ))}
  </ul>
)
// biome-ignore-end lint/a11y: the link of a row has the keyboard.

const idOf = ({ kind, record }: InboxItem) => `${kind} ${record.id}`

/** The record that an item is about, or the RFQ of an offer or an invitation by e-mail. */
const aboutOf = ({ record, parent }: InboxItem) =>
  parent && (record.type === 'offer' || record.type === 'emailInvitation' || parent.type === 'order') ? parent : record

const PICTURES: Readonly<Record<string, PictureKind>> = {
  rfq: 'rfq',
  rfqPackage: 'package',
  order: 'order',
  subscription: 'part',
  salesAgreement: 'agreement',
}

/** Whether some item is about a record of the type. */
const hasType = (items: readonly InboxItem[], type: InboxItem['record']['type']) =>
  items.some((item) => aboutOf(item).type === type)

/** Number, other organization and pieces of the RFQs and orders among the newest, which the lists have. */
function useDetails(items: readonly InboxItem[]): (item: InboxItem) => string {
  const rfqs = useList(hasType(items, 'rfq') ? '/v1/rfqs' : undefined, {
    query: { excludeDrafts: true, pageSize: 50 },
  })
  const orders = useList(
    hasType(items, 'order') || hasType(items, 'shipment') || hasType(items, 'changeRequest')
      ? '/flows/v1/orders'
      : undefined,
    { query: { pageSize: 50 } },
  )
  const inPieces = (pieces: readonly number[]) =>
    counted(t.orders.pieces, Math.max(...pieces), pieces.map(number).join(' · '))
  return (item) => {
    const { id, type } = aboutOf(item)
    if (type === 'rfqPackage') return counted(t.inbox.lines, item.count ?? 0, number(item.count ?? 0))
    const order = orders.data?.find((each) => each.id === id)
    const rfq = rfqs.data?.find((each) => each.id === id)
    const { serialNumber, consumerOrgId } = order ?? rfq ?? {}
    const other = consumerOrgId === orgId.value ? order?.manufacturerOrgId : consumerOrgId
    const pieces = order ? [order.quantity] : (rfq?.quantities ?? [])
    return [serialNumber, other && orgName(other), pieces.length > 0 && inPieces(pieces)].filter(Boolean).join(' · ')
  }
}

const waiting = (item: InboxItem, details: string): Waiting => ({
  id: idOf(item),
  href: pathOf(item),
  icon: <Picture kind={PICTURES[aboutOf(item).type] ?? 'case'} url={pictureOf(item)} alt="" />,
  title: item.title === undefined ? t.inbox.kinds[item.kind] : caseTitle({ title: item.title }),
  detail: [details, fill(t.inbox.since, { day: date(item.since) })].filter(Boolean).join(' · '),
  end: (
    <>
      {item.due && <small>{fill(t.inbox.due, { when: fromNow(item.due) })}</small>}{' '}
      <span class="badge wait">{t.inbox.kinds[item.kind]}</span>
    </>
  ),
})

/** What waits for the organization and the permissions of the caller, newest first. */
function Inbox() {
  const kind = useFilter<Kind | ''>(
    'kind',
    '',
    KINDS.map(([each]) => each),
  )
  const list = useList('/flows/v1/inbox', { query: setIn({ kind }) }, idOf)
  const detailsOf = useDetails(list.data ?? [])
  return (
    <Section title={t.inbox.title}>
      <div class="filters">
        <Filter label={t.inbox.kind} {...bind(kind)} options={orAll(KINDS)} />
      </div>
      <Shown read={list} shape="lines" lines={6}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon="check">{t.inbox.empty}</Empty>
          ) : (
            <Items items={items.map((item) => waiting(item, detailsOf(item)))} />
          )
        }
      </Shown>
      <More list={list} />
    </Section>
  )
}

function PausedEndpoints() {
  const read = useRecord('/v2.3/webhooks/endpoints', {})
  const paused = read.data?.data.filter(({ status }) => status !== 'active') ?? []
  if (paused.length === 0) return null
  return (
    <Section title={t.home.paused}>
      <Items
        items={paused.map(({ id, url, description }) => ({
          id,
          href: `/console/webhooks/${id}`,
          icon: <Picture kind="endpoint" url={undefined} alt="" />,
          title: new URL(url).host,
          detail: description ?? '',
          end: <span class="badge bad">{t.home.pausedBadge}</span>,
        }))}
      />
    </Section>
  )
}

/** Says that notifications do not reach the person, where the marketplace sends mail. */
function Unreachable() {
  const { mail, reachable } = useRecord('/flows/v1/me/notification-settings', {}).data ?? {}
  if (!mail || reachable !== false || me.value?.impersonation) return null
  return (
    <p class="hint" role="status">
      {t.home.unreachable} <a href="/console/account">{t.home.confirmAddress}</a>
    </p>
  )
}

/** What waits for the caller. */
export const Home = () => (
  <Page title={t.home.title}>
    <Unreachable />
    <div class="columns wide">
      <Inbox />
      {can('org:admin') && <FirstSteps />}
      <Standing />
      {permits('GET /v2.3/webhooks/endpoints') && <PausedEndpoints />}
    </div>
  </Page>
)
