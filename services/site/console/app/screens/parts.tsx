import { useLocation } from 'preact-iso/router'
import { command, market, type Part, type PartInput } from '../api.ts'
import { labelIn, materials } from '../catalogs.ts'
import { useList } from '../data.ts'
import { date } from '../format.ts'
import { can, permits } from '../me.ts'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { useFilter } from '../ui/filters.ts'
import { bind, type Column, Filter, ListTable, Search } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { PartFields, partContentOf } from './part-fields.tsx'

const COLUMNS: readonly Column<Part>[] = [
  {
    label: t.parts.part,
    cell: ({ id, title, serialNumber }) => (
      <>
        <a href={`/console/parts/${id}`}>{title ?? t.parts.untitled}</a> <small class="quiet">{serialNumber}</small>
      </>
    ),
  },
  { label: t.parts.material, cell: ({ materialId }) => labelIn(materials(), materialId) },
  { label: t.parts.ownersReference, cell: ({ externalRef }) => externalRef },
  { label: t.parts.updated, cell: ({ updatedTime }) => date(updatedTime) },
  { label: t.ui.state, cell: ({ state }) => <Badge of="part" state={state} /> },
]

const VIEWS = ['IP_OWNER', 'CONSUMER'] as const

/** The published parts of all organizations, or those of the own one. */
export function Parts() {
  const { route } = useLocation()
  const view = useFilter('view', can('app:ip-owner') ? 'IP_OWNER' : 'CONSUMER', VIEWS)
  const q = useFilter('q', '')
  const list = useList('/flows/v1/parts', { query: { view: view.value, ...(q.value && { q: q.value }) } })
  const create = async (data: FormData) => {
    const { id } = await command(() => market.POST('/v1/parts', { body: partContentOf(data) as PartInput }))
    route(`/console/parts/${id}`)
  }
  return (
    <Page
      title={t.nav.parts}
      actions={
        <>
          {permits('POST /flows/v1/part-imports') && (
            <a class="button" href="/console/parts/import">
              {t.imports.title}
            </a>
          )}
          <Action
            label={t.parts.create}
            hint={t.parts.createHint}
            when={permits('POST /v1/parts')}
            isPrimary
            isWide
            onRun={create}
          >
            <PartFields />
          </Action>
        </>
      }
    >
      <section class="panel">
        <div class="filters">
          {can('app:ip-owner') && (
            <Filter
              label={t.ui.show}
              {...bind(view)}
              options={[
                ['IP_OWNER', t.parts.own],
                ['CONSUMER', t.parts.all],
              ]}
            />
          )}
          <Search {...bind(q)} />
        </div>
        <ListTable caption={t.nav.parts} list={list} columns={COLUMNS} empty={t.parts.empty} />
      </section>
    </Page>
  )
}
