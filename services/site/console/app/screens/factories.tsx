import { useLocation } from 'preact-iso/router'
import { type Capability, command, type Factory, market } from '../api.ts'
import { criticalities, materials, standards } from '../catalogs.ts'
import { useList } from '../data.ts'
import { number, region } from '../format.ts'
import { can, permits } from '../me.ts'
import { t } from '../texts.ts'
import { CountryField, countries } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { Field, textOf } from '../ui/form.tsx'
import { bind, type Column, Filter, ListTable, orAll, Search } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'

const VIEWS = ['MANUFACTURER', 'CONSUMER'] as const
type View = (typeof VIEWS)[number]
type ProcessType = Capability['processType']
const PROCESS_TYPES = Object.entries(t.factories.processTypes) as [ProcessType, string][]

const COLUMNS: readonly Column<Factory>[] = [
  { label: t.factories.factory, cell: ({ id, name }) => <a href={`/console/factories/${id}`}>{name}</a> },
  { label: t.rfqs.manufacturer, cell: ({ orgName }) => orgName },
  { label: t.factories.place, cell: ({ address }) => `${address.locality}, ${region(address.regionCode)}` },
  { label: t.factories.capabilities, cell: ({ capabilities }) => number(capabilities.length), isNumber: true },
  {
    label: t.ui.state,
    isClear: true,
    cell: ({ active }) => <Badge of="active" state={active ? 'ACTIVE' : 'INACTIVE'} />,
  },
]

/** What a person has typed; what is missing or wrong is named by the marketplace. */
export function factoryContentOf(data: FormData) {
  const postalCode = textOf(data, 'address.postalCode')
  const lines = textOf(data, 'address.lines')
  return {
    name: textOf(data, 'name') as string,
    internal: data.has('internal'),
    address: {
      regionCode: textOf(data, 'address.regionCode') as string,
      locality: textOf(data, 'address.locality') as string,
      lines: lines?.split('\n') ?? [],
      ...(postalCode && { postalCode }),
    },
  }
}

export const FactoryFields = ({ factory }: { factory?: Factory }) => (
  <>
    <Field name="name" label={t.factories.name} value={factory?.name} isFocused />
    <Field name="address.lines" label={t.assignment.lines} rows={2} value={factory?.address.lines.join('\n')} />
    <div class="columns">
      <Field name="address.postalCode" label={t.assignment.postalCode} value={factory?.address.postalCode} isOptional />
      <Field name="address.locality" label={t.assignment.locality} value={factory?.address.locality} />
      <CountryField name="address.regionCode" label={t.assignment.country} value={factory?.address.regionCode} />
    </div>
    <Field name="internal" label={t.factories.internal} type="checkbox" value={String(factory?.internal ?? false)} />
  </>
)

export function Factories() {
  const { route, query } = useLocation()
  const view = useFilter<View>('view', can('app:manufacturer') ? 'MANUFACTURER' : 'CONSUMER', VIEWS)
  const q = useFilter('q', '')
  const materialCode = useFilter('material', '')
  const processType = useFilter<ProcessType | ''>(
    'processType',
    '',
    PROCESS_TYPES.map(([type]) => type),
  )
  const regionCode = useFilter('country', '')
  const standardCode = useFilter('standard', '')
  const criticalityCode = useFilter('criticality', '')
  const filters = { q, materialCode, processType, regionCode, standardCode, criticalityCode }
  const list = useList('/v1/factories', { query: { view: view.value, ...setIn(filters) } })
  const create = async (data: FormData) => {
    const { id } = await command(() => market.POST('/flows/v1/factories', { body: factoryContentOf(data) }))
    route(`/console/factories/${id}`)
  }
  return (
    <Page
      title={t.nav.factories}
      actions={
        <Action
          label={t.factories.create}
          icon="plus"
          when={permits('POST /flows/v1/factories')}
          isAsked={query.begin === 'new'}
          isPrimary
          onRun={create}
        >
          <FactoryFields />
        </Action>
      }
    >
      <section class="panel list">
        <div class="filters">
          {can('app:manufacturer') && can('app:consumer') && (
            <Filter
              label={t.ui.show}
              {...bind(view)}
              options={[
                ['MANUFACTURER', t.factories.own],
                ['CONSUMER', t.factories.available],
              ]}
            />
          )}
          <Search {...bind(q)} />
          <Filter label={t.parts.material} {...bind(materialCode)} options={orAll(materials())} />
          <Filter label={t.factories.processType} {...bind(processType)} options={orAll(PROCESS_TYPES)} />
          <Filter label={t.assignment.country} {...bind(regionCode)} options={orAll(countries())} />
          <Filter label={t.factories.standard} {...bind(standardCode)} options={orAll(standards())} />
          <Filter label={t.factories.criticality} {...bind(criticalityCode)} options={orAll(criticalities())} />
        </div>
        <ListTable
          caption={t.nav.factories}
          list={list}
          columns={COLUMNS}
          empty={t.factories.empty}
          icon="factory"
          picture={(factory) => <Picture kind="factory" url={pictureOf(factory)} alt="" />}
        />
      </section>
    </Page>
  )
}
