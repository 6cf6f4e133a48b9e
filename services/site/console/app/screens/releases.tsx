import { type FactoryRelease, post } from '../api.ts'
import { useList } from '../data.ts'
import { region } from '../format.ts'
import { permits } from '../me.ts'
import { OrgName, orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { Field, textOf } from '../ui/form.tsx'
import { bind, type Column, Filter, ListTable, More, orAll, Search } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Loading } from '../ui/states.tsx'

const idOf = ({ factory }: FactoryRelease) => factory.id
const useCustomers = () => useList('/flows/v1/orgs', { query: { pageSize: 50 } })

/** The organizations to which a factory is not released yet. They are read while the dialog is open. */
function CustomerField({ released }: { released: readonly string[] }) {
  const customers = useCustomers()
  if (!customers.data) return <Loading lines={1} />
  const open = customers.data.filter(({ id }) => !released.includes(id))
  if (customers.data.length === 0) return <Empty>{t.releases.noCustomers}</Empty>
  return (
    <>
      <Field name="orgId" label={t.releases.customer} options={open.map(({ id, name }) => [id, name])} isFocused />
      <More list={customers} />
    </>
  )
}

const change = (verb: 'release' | 'withdraw', id: string, orgId: string) =>
  post(`/flows/v1/factories/{id}/${verb}`, id, { orgId })

const Released = ({ release: { factory, orgIds } }: { release: FactoryRelease }) => (
  <ul class="items releases">
    {orgIds.map((orgId) => (
      <li key={orgId}>
        <OrgName id={orgId} />
        <Action
          label={t.releases.withdraw}
          hint={fill(t.releases.withdrawHint, { factory: factory.name, org: orgName(orgId) })}
          when={permits('POST /flows/v1/factories/{id}/withdraw')}
          isDangerous
          onRun={() => change('withdraw', factory.id, orgId)}
        />
      </li>
    ))}
  </ul>
)

const COLUMNS: readonly Column<FactoryRelease>[] = [
  {
    label: t.factories.factory,
    cell: ({ factory: { id, name } }) => <a href={`/console/factories/${id}`}>{name}</a>,
  },
  { label: t.rfqs.manufacturer, cell: ({ factory }) => factory.orgName },
  {
    label: t.factories.place,
    cell: ({ factory: { address } }) => `${address.locality}, ${region(address.regionCode)}`,
  },
  { label: t.releases.released, cell: (release) => <Released release={release} /> },
  {
    label: t.ui.actions,
    cell: ({ factory, orgIds }) => (
      <div class="actions">
        <Action
          label={t.releases.release}
          hint={fill(t.releases.releaseHint, { factory: factory.name })}
          when={permits('POST /flows/v1/factories/{id}/release')}
          onRun={(data) => change('release', factory.id, textOf(data, 'orgId') ?? '')}
        >
          <CustomerField released={orgIds} />
        </Action>
      </div>
    ),
  },
]

/** The factories that a distributor may release, with the organizations to which it has. */
export function Releases() {
  const customers = useCustomers()
  const [q, orgId] = [useFilter('q', ''), useFilter('orgId', '')]
  const list = useList('/flows/v1/factory-releases', { query: setIn({ q, orgId }) }, idOf)
  return (
    <Page title={t.nav.releases}>
      <section class="panel list">
        <p class="quiet">{t.releases.about}</p>
        <div class="filters">
          <Search {...bind(q)} />
          <Filter
            label={t.releases.releasedTo}
            {...bind(orgId)}
            options={orAll((customers.data ?? []).map(({ id, name }) => [id, name]))}
          />
        </div>
        <ListTable
          caption={t.nav.releases}
          list={list}
          idOf={idOf}
          columns={COLUMNS}
          empty={q.value || orgId.value ? t.factories.empty : t.releases.empty}
        />
      </section>
    </Page>
  )
}
