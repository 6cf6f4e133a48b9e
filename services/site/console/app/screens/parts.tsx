import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { PART } from '../../../../../proto/states/parts.ts'
import { command, market, type Part, type PartInput } from '../api.ts'
import { labelIn, materials } from '../catalogs.ts'
import { useList, useOnce } from '../data.ts'
import { date } from '../format.ts'
import { can, mayUse, permits } from '../me.ts'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { useFilter } from '../ui/filters.ts'
import { bind, type Column, Filter, ListTable, Search } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { PartFields, partContentOf } from './part-fields.tsx'
import { Choose, PublishChosen } from './parts-publication.tsx'

const COLUMNS = [
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
  { label: t.parts.updated, cell: ({ updatedTime }) => date(updatedTime), isWhole: true },
  { label: t.ui.state, isClear: true, cell: ({ state }) => <Badge of="part" state={state} /> },
  { label: t.ui.nextStep, isClear: true, cell: (part) => <Next part={part} /> },
] as const satisfies readonly Column<Part>[]

/** What the caller can do with a part next. */
function Next({ part }: { part: Part }) {
  if (mayUse(PART, 'publish', part)) return <span class="next own">{t.parts.next.publish}</span>
  const isOffered = part.state === 'PUBLISHED' && permits('POST /flows/v1/rfqs')
  return isOffered ? <span class="next">{t.parts.next.request}</span> : null
}

const picture = (part: Part) => <Picture kind="part" url={pictureOf(part)} alt="" />

const VIEWS = ['IP_OWNER', 'CONSUMER', 'SUBSCRIBED'] as const
type View = (typeof VIEWS)[number]

interface TableProps {
  view: Exclude<View, 'SUBSCRIBED'>
  q: string
}

/** The parts of a view. Own drafts can be chosen, to publish many at once. */
function Listed({ view, q }: TableProps) {
  const chosen = useSignal<ReadonlySet<string>>(new Set())
  const list = useList('/flows/v1/parts', { query: { view, ...(q && { q }) } })
  const isChoice = (part: Part) => view === 'IP_OWNER' && mayUse(PART, 'publish', part)
  const [first, ...others] = COLUMNS
  const columns = [
    {
      ...first,
      cell: (part: Part) => (
        <>
          {isChoice(part) && <Choose part={part} chosen={chosen} />}
          {first.cell(part)}
        </>
      ),
    },
    ...others,
  ]
  return (
    <ListTable
      caption={t.nav.parts}
      list={list}
      columns={columns}
      empty={t.parts.empty}
      icon="box"
      picture={picture}
      actions={(shown) => <PublishChosen drafts={shown.filter(isChoice)} chosen={chosen} />}
    />
  )
}

/** The parts, internal ones too, to which the organization subscribes by name. */
function Subscribed({ q }: { q: string }) {
  const list = useList('/flows/v1/subscriptions', { query: { view: 'CONSUMER', state: 'ACTIVE' } })
  const ids = [...new Set(list.data?.flatMap(({ partId }) => partId ?? []))]
  const parts = useOnce(list.data && ids.join(), () => readInBatches(ids))
  const text = q.toLowerCase()
  const data = parts.data?.filter(({ title = '', serialNumber, externalRef = '' }) =>
    [title, serialNumber, externalRef].some((each) => each.toLowerCase().includes(text)),
  )
  return (
    <ListTable
      caption={t.nav.parts}
      list={{ ...list, data, error: list.error ?? parts.error }}
      columns={COLUMNS}
      empty={t.parts.noSubscribed}
      icon="box"
      picture={picture}
    />
  )
}

const MAX_BATCH = 100

/** The parts with these ids that the organization reads. */
export async function readInBatches(ids: readonly string[]): Promise<Part[]> {
  const parts: Part[] = []
  for (let at = 0; at < ids.length; at += MAX_BATCH) {
    const body = { ids: ids.slice(at, at + MAX_BATCH) }
    parts.push(...(await market.POST('/flows/v1/parts:batch-get', { body })).data.items)
  }
  return parts
}

const isOffered = (view: View) => view === 'CONSUMER' || can(view === 'IP_OWNER' ? 'app:ip-owner' : 'app:consumer')

/** The published parts of all organizations, those of the own one, or those to which it subscribes. */
export function Parts() {
  const { route, query } = useLocation()
  const views = VIEWS.filter((each) => isOffered(each))
  const view = useFilter<View>('view', views[0] ?? 'CONSUMER', views)
  const q = useFilter('q', '')
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
            icon="plus"
            when={permits('POST /v1/parts')}
            isAsked={query.begin === 'new'}
            isPrimary
            isWide
            onRun={create}
          >
            <PartFields />
          </Action>
        </>
      }
    >
      <section class="panel list">
        <div class="filters">
          {views.length > 1 && (
            <Filter label={t.ui.show} {...bind(view)} options={views.map((each) => [each, t.parts.views[each]])} />
          )}
          <Search {...bind(q)} />
        </div>
        {view.value === 'SUBSCRIBED' ? <Subscribed q={q.value} /> : <Listed view={view.value} q={q.value} />}
      </section>
    </Page>
  )
}
