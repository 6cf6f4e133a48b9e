import type { ListedRfqPackage, RfqState } from '../api.ts'
import { useList } from '../data.ts'
import { date, number } from '../format.ts'
import { can, permits } from '../me.ts'
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
]

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
