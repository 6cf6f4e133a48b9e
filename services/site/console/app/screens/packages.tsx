import type { ListedRfqPackage, RfqState } from '../api.ts'
import { useList } from '../data.ts'
import { date, number } from '../format.ts'
import { can, orgId, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { counted, t } from '../texts.ts'
import { useFilter } from '../ui/filters.ts'
import { bind, type Column, Filter, ListTable } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'

const VIEWS = [
  ['CONSUMER', t.packages.views.CONSUMER, () => can('app:consumer')],
  ['MANUFACTURER', t.packages.views.MANUFACTURER, () => can('app:manufacturer')],
] as const

const COLUMNS: readonly Column<ListedRfqPackage>[] = [
  {
    label: t.packages.name,
    cell: ({ id, title }) => <a href={`/console/packages/${id}`}>{title}</a>,
  },
  { label: t.rfqs.consumer, cell: ({ consumerOrgId }) => <OrgName id={consumerOrgId} /> },
  {
    label: t.packages.lines,
    cell: ({ lineCount }) => counted(t.packages.lineCount, lineCount, number(lineCount)),
  },
  {
    label: t.ui.state,
    cell: ({ lineStates }) =>
      (Object.entries(lineStates) as [RfqState, number][])
        .map(([state, count]) => `${t.states.rfq[state]}: ${number(count)}`)
        .join(' · '),
  },
  { label: t.ui.since, cell: ({ createdTime }) => date(createdTime), isWhole: true },
  { label: t.ui.nextStep, isClear: true, cell: (pkg) => <Next pkg={pkg} /> },
]

/** What most lines wait for: a publication or an award before offers of others. */
export function nextOfLines(states: ListedRfqPackage['lineStates']): { text: string; isOwn: boolean } | undefined {
  const { next } = t.rfqs
  if (states.DRAFT) return { text: next.publish, isOwn: true }
  if (states.CLOSED) return { text: next.award, isOwn: true }
  return states.OPEN ? { text: next.wait, isOwn: false } : undefined
}

/** What a package waits for. A manufacturer finds in it what its lines wait for. */
function Next({ pkg: { consumerOrgId, lineStates } }: { pkg: ListedRfqPackage }) {
  if (consumerOrgId !== orgId.value) return lineStates.OPEN ? <span class="next own">{t.rfqs.next.offer}</span> : null
  const next = nextOfLines(lineStates)
  return next ? <span class={next.isOwn ? 'next own' : 'next'}>{next.text}</span> : null
}

/** The packages of the organization, or those with a line to which it is invited. */
export function Packages() {
  const views = VIEWS.filter(([, , isOwn]) => isOwn())
  const view = useFilter(
    'view',
    views[0]?.[0] ?? 'CONSUMER',
    views.map(([each]) => each),
  )
  const list = useList('/flows/v1/rfq-packages', { query: { view: view.value } })
  return (
    <Page
      title={t.packages.title}
      over={<a href="/console/rfqs">{t.nav.rfqs}</a>}
      actions={
        permits('POST /flows/v1/rfq-packages') && (
          <a class="button primary" href="/console/packages/new">
            {t.packages.create}
          </a>
        )
      }
    >
      <section class="panel list">
        {views.length > 1 && (
          <div class="filters">
            <Filter
              label={t.packages.view}
              {...bind(view)}
              options={views.map(([value, label]) => [value, label] as const)}
            />
          </div>
        )}
        <ListTable
          caption={t.packages.title}
          list={list}
          columns={COLUMNS}
          empty={t.packages.empty}
          icon="layers"
          picture={(pkg) => <Picture kind="package" url={pictureOf(pkg)} alt="" />}
        />
      </section>
    </Page>
  )
}
