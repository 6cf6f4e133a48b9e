import { type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { isAfterOwnCommand, isOwnRecord } from '../api.ts'
import type { List, Read } from '../data.ts'
import { number } from '../format.ts'
import { useSettled } from '../settling.ts'
import { fill, t } from '../texts.ts'
import { type Group, grouped } from './groups.ts'
import { Icon, type IconName } from './icon.tsx'
import { SortButton, sorted, useOrder } from './sorting.tsx'
import { Empty, Loading, Problem, Shown } from './states.tsx'

export interface Column<Item> {
  label: string
  /** The first column leads to the record. */
  cell: (item: Item) => ComponentChildren
  isNumber?: boolean
  /** Short words and days, which a wide window does not break. */
  isWhole?: boolean
  /** Says in a card what it is without its label, such as a state. */
  isClear?: boolean
  /** What a table that is shown as a whole can be sorted by. */
  sortBy?: (item: Item) => string | number
}

interface TableProps<Item> {
  /** What the rows are, for screen readers. */
  caption: string
  items: readonly Item[]
  columns: readonly Column<Item>[]
  idOf: (item: Item) => string
  /** The picture before the first cell. */
  picture?: (item: Item) => ComponentChildren
  /** What some rows belong to, which are shown together below it. */
  group?: Group<Item>
}

/** A click beside the links, buttons and fields of a row opens its record. */
export function openRow(event: MouseEvent): void {
  const target = event.target as Element
  if (target.closest('a, button, input, select, label, summary, dialog') || getSelection()?.toString()) return
  target.closest('tr, li')?.querySelector('a')?.click()
}

const classOf = ({ isNumber, isWhole, isClear }: Column<never>) =>
  [isNumber && 'number', isWhole && 'whole', isClear && 'said-by-itself'].filter(Boolean).join(' ')

/** A table on a wide window, and a card for each row on a narrow one. */
export function Table<Item>({ caption, items, columns, idOf, picture, group }: TableProps<Item>) {
  const order = useOrder()
  const sortBy = columns.find(({ label }) => label === order.by.value)?.sortBy
  const rows = grouped(sortBy ? sorted(items, sortBy, order.isDown.value) : items, group)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link of a row has the keyboard.
    <table class="rows" onClick={openRow}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isNumber, sortBy: isSortable }) => (
            <th key={label} scope="col" class={isNumber ? 'number' : ''} aria-sort={isSortable && order.of(label)}>
              {isSortable ? <SortButton order={order} by={label} label={label} /> : label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ item, begins }) => (
          <Fragment key={idOf(item)}>
            {begins && (
              <tr class="group">
                <th scope="rowgroup" colSpan={columns.length}>
                  {begins}
                </th>
              </tr>
            )}
            <tr class={group?.keyOf(item) === undefined ? '' : 'member'}>
              {columns.map((column, at) => (
                <td key={column.label} data-label={column.label} class={classOf(column as Column<never>)}>
                  {picture && at === 0 ? (
                    <span class="lead">
                      {picture(item)}
                      <span>{column.cell(item)}</span>
                    </span>
                  ) : (
                    column.cell(item)
                  )}
                </td>
              ))}
            </tr>
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

interface ListProps<Item> extends Omit<TableProps<Item>, 'items' | 'idOf'> {
  list: List<Item>
  idOf?: (item: Item) => string
  empty?: ComponentChildren
  icon?: IconName
  /** What a person can do about an empty list. */
  start?: ComponentChildren
  /** What can be done with the rows that are shown. */
  actions?: (shown: readonly Item[]) => ComponentChildren
}

/** The rows that are shown, and the number of those by others that came above them meanwhile. */
function useHeld<Item>({ key, data = [] }: List<Item>, idOf: (item: Item) => string) {
  const released = useSignal(0)
  const version = `${key} ${released.value}`
  const seen = useRef({ version: '', ids: new Set<string>() })
  const isFirst = seen.current.version !== version || seen.current.ids.size === 0
  if (isFirst || isAfterOwnCommand()) seen.current = { version, ids: new Set() }
  const { ids } = seen.current
  const last = data.findLastIndex((item) => ids.has(idOf(item)))
  const shown = data.filter((item, at) => at > last || ids.has(idOf(item)) || isOwnRecord(idOf(item)))
  for (const item of shown) ids.add(idOf(item))
  const release = () => {
    released.value += 1
  }
  return { shown, held: data.length - shown.length, release }
}

/** A list that pages. New rows by others wait above it until they are asked for, so that it does not jump. */
export function ListTable<Item>({
  list,
  empty,
  icon = 'inbox',
  start,
  actions,
  idOf = (item) => (item as { id: string }).id,
  ...table
}: ListProps<Item>) {
  const { shown, held, release } = useHeld(list, idOf)
  const isSettled = useSettled(list.data !== undefined)
  if (!list.data && list.error) return <Problem error={list.error} />
  if (!list.data) return <Loading lines={6} shape="lines" />
  return (
    <div class="body">
      {!isSettled && <Loading lines={6} shape="lines" />}
      <div class={isSettled ? 'listed' : 'listed settling'}>
        <div role="status">
          {held > 0 && (
            <button type="button" class="more" onClick={release}>
              {fill(t.ui.fresh, { count: number(held) })}
            </button>
          )}
        </div>
        {actions?.(shown)}
        {shown.length === 0 ? (
          <Empty icon={icon} action={start}>
            {empty}
          </Empty>
        ) : (
          <Table items={shown} idOf={idOf} {...table} />
        )}
        <More list={list} />
      </div>
    </div>
  )
}

type Options = readonly (readonly [value: string, label: string])[]

interface FilterProps {
  label: string
  value: string
  options: Options
  onChange: (value: string) => void
}

interface ChipProps extends Omit<FilterProps, 'options'> {
  children: (id: string) => ComponentChildren
  isRemovable: boolean
}

/** A filter is a chip: dashed while it lets everything through, filled and with a cross once it is set. */
function Chip({ label, value, onChange, isRemovable, children }: ChipProps) {
  const id = useId()
  const isSet = isRemovable && value !== ''
  return (
    <span class={isSet ? 'filter on' : 'filter'}>
      <label id={`${id}-label`} for={id}>
        {label}
      </label>
      {children(id)}
      {isSet && (
        <button
          type="button"
          aria-label={t.ui.clearFilter}
          aria-describedby={`${id}-label`}
          onClick={() => onChange('')}
        >
          <Icon name="x" size={14} />
        </button>
      )}
    </span>
  )
}

/** One of some values. A first one without a value lets everything through. */
export const Filter = ({ label, value, options, onChange }: FilterProps) => (
  <Chip label={label} value={value} onChange={onChange} isRemovable={options[0]?.[0] === ''}>
    {(id) => (
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Chip>
)

/** A filter that lets everything through at first. */
export const orAll = (options: Options): Options => [['', t.ui.all], ...options]

interface StateFilterProps<Kind extends keyof typeof t.states> {
  of: Kind
  states: readonly (keyof (typeof t.states)[Kind] & string)[]
  state: { value: string }
}

/** Records in one of the states of their kind. */
export const StateFilter = <Kind extends keyof typeof t.states>({ of, states, state }: StateFilterProps<Kind>) => (
  <Filter
    label={t.ui.state}
    {...bind(state)}
    options={orAll(states.map((each) => [each, String(t.states[of][each])]))}
  />
)

/** A day, or none. */
export const DayFilter = ({ label, value, onChange }: Omit<FilterProps, 'options'>) => (
  <Chip label={label} value={value} onChange={onChange} isRemovable>
    {(id) => (
      <input id={id} type="date" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
    )}
  </Chip>
)

/** Something that is hidden, or not. */
export const Tick = ({ label, value, onChange }: Omit<FilterProps, 'options'>) => (
  <span class={value ? 'filter on' : 'filter'}>
    <label class="tick">
      <input
        type="checkbox"
        checked={value !== ''}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'true' : '')}
      />
      {label}
    </label>
  </span>
)

interface SearchProps {
  label?: string
  value: string
  onChange: (value: string) => void
  /** The id of a list of suggestions. */
  list?: string
}

/** A search that waits until one has stopped typing. The field keeps what is typed, and its trimmed text is searched for. */
export function Search({ label = t.ui.search, value, onChange, list }: SearchProps) {
  const text = useSignal(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The last text that the field itself searched for; another value was set elsewhere. */
  const known = useRef(value)
  const later = (typed: string) => {
    text.value = typed
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      known.current = typed.trim()
      onChange(known.current)
    }, 300)
  }
  useLayoutEffect(() => {
    if (value === known.current) return
    clearTimeout(timer.current)
    known.current = value
    text.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <span class="filter find-in">
      <Icon name="search" size={16} />
      <label>
        <span class="said">{label}</span>
        <input
          type="search"
          maxLength={200}
          list={list}
          placeholder={label}
          value={text.value}
          onInput={({ currentTarget }) => later(currentTarget.value)}
        />
      </label>
    </span>
  )
}

/** The value of a filter. */
export const bind = <T extends string>(to: Signal<T> | { value: T }) => ({
  value: to.value,
  onChange: (value: string) => {
    to.value = value as T
  },
})

type Paged = Partial<Pick<List<unknown>, 'hasMore' | 'showMore'>>

/** Shows the next page of a list. */
export const More = ({ list }: { list: Paged }) =>
  list.hasMore ? (
    <button type="button" class="more" onClick={list.showMore}>
      {t.ui.more}
    </button>
  ) : null

interface ItemListProps<Item> {
  list: Read<readonly Item[]> & Paged
  /** What is said where there is none. */
  empty?: string | undefined
  children: (item: Item) => ComponentChildren
}

/** Records of a section, one below the other. */
export const ItemList = <Item,>({ list, empty, children }: ItemListProps<Item>) => (
  <>
    <Shown read={list} lines={2}>
      {(items) => (items.length === 0 ? <Empty>{empty}</Empty> : <ul class="items">{items.map(children)}</ul>)}
    </Shown>
    <More list={list} />
  </>
)
