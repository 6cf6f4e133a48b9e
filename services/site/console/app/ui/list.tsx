import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { isAfterOwnCommand, isOwnRecord } from '../api.ts'
import type { List } from '../data.ts'
import { number } from '../format.ts'
import { fill, t } from '../texts.ts'
import { Empty, Loading, Problem } from './states.tsx'

export interface Column<Item> {
  label: string
  /** The first column leads to the record. */
  cell: (item: Item) => ComponentChildren
  isNumber?: boolean
  /** Short words and days, which a wide window does not break. */
  isWhole?: boolean
}

interface TableProps<Item> {
  /** What the rows are, for screen readers. */
  caption: string
  items: readonly Item[]
  columns: readonly Column<Item>[]
  idOf: (item: Item) => string
}

/** A table on a wide window, and a card for each row on a narrow one. */
export function Table<Item>({ caption, items, columns, idOf }: TableProps<Item>) {
  return (
    <table class="rows">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isNumber }) => (
            <th key={label} scope="col" class={isNumber ? 'number' : ''}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={idOf(item)}>
            {columns.map(({ label, cell, isNumber, isWhole }) => (
              <td key={label} data-label={label} class={isNumber ? 'number' : isWhole ? 'whole' : ''}>
                {cell(item)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface ListProps<Item> extends Omit<TableProps<Item>, 'items' | 'idOf'> {
  list: List<Item>
  idOf?: (item: Item) => string
  empty?: ComponentChildren
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
  actions,
  idOf = (item) => (item as { id: string }).id,
  ...table
}: ListProps<Item>) {
  const { shown, held, release } = useHeld(list, idOf)
  if (!list.data) return list.error ? <Problem error={list.error} /> : <Loading lines={6} />
  return (
    <>
      <div role="status">
        {held > 0 && (
          <button type="button" class="more" onClick={release}>
            {fill(t.ui.fresh, { count: number(held) })}
          </button>
        )}
      </div>
      {actions?.(shown)}
      {shown.length === 0 ? <Empty>{empty}</Empty> : <Table items={shown} idOf={idOf} {...table} />}
      {list.hasMore && (
        <button type="button" class="more" onClick={list.showMore}>
          {t.ui.more}
        </button>
      )}
    </>
  )
}

interface FilterProps {
  label: string
  value: string
  options: readonly (readonly [value: string, label: string])[]
  onChange: (value: string) => void
}

export const Filter = ({ label, value, options, onChange }: FilterProps) => (
  <label class="filter">
    {label}
    <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

/** A day, or none. */
export const DayFilter = ({ label, value, onChange }: Omit<FilterProps, 'options'>) => (
  <label class="filter">
    {label}
    <input type="date" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  </label>
)

interface SearchProps {
  label?: string
  value: string
  onChange: (value: string) => void
  /** The id of a list of suggestions. */
  list?: string
}

/** A search that waits until one has stopped typing. */
export function Search({ label = t.ui.search, value, onChange, list }: SearchProps) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = (text: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => onChange(text.trim()), 300)
  }
  return (
    <label class="filter">
      {label}
      <input
        type="search"
        maxLength={200}
        list={list}
        value={value}
        onInput={({ currentTarget }) => later(currentTarget.value)}
      />
    </label>
  )
}

/** The value of a filter. */
export const bind = <T extends string>(to: Signal<T> | { value: T }) => ({
  value: to.value,
  onChange: (value: string) => {
    to.value = value as T
  },
})

/** Shows the next page of a list. */
export const More = ({ list }: { list: { hasMore: boolean; showMore: () => void } }) =>
  list.hasMore ? (
    <button type="button" class="more" onClick={list.showMore}>
      {t.ui.more}
    </button>
  ) : null
