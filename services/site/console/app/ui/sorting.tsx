import { useSignal } from '@preact/signals'
import { Icon } from './icon.tsx'

/** By which heading something is sorted, and in which direction. */
export function useOrder() {
  const by = useSignal<string | undefined>(undefined)
  const isDown = useSignal(false)
  return {
    by,
    isDown,
    /** The value of `aria-sort` of a heading. */
    of: (heading: string) =>
      by.value === heading ? (isDown.value ? ('descending' as const) : ('ascending' as const)) : ('none' as const),
    choose: (heading: string) => {
      isDown.value = by.value === heading && !isDown.value
      by.value = heading
    },
  }
}
export type Order = ReturnType<typeof useOrder>

type Key = string | number | undefined

const compare = (one: NonNullable<Key>, other: NonNullable<Key>) =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : String(one).localeCompare(String(other), undefined, { numeric: true })

/** Things without a value are last in both directions. */
export function sorted<Item>(items: readonly Item[], keyOf: (item: Item) => Key, isDown: boolean): Item[] {
  return items.toSorted((a, b) => {
    const [one, other] = [keyOf(a), keyOf(b)]
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
    return isDown ? compare(other, one) : compare(one, other)
  })
}

interface SortButtonProps {
  order: Order
  by: string
  label: string
  /** Whether it sorts columns. */
  isAcross?: boolean
}

/** A heading that sorts; a second click turns the direction. */
export const SortButton = ({ order, by, label, isAcross = false }: SortButtonProps) => (
  <button type="button" class="sort" onClick={() => order.choose(by)}>
    {label}
    {order.of(by) !== 'none' && (
      <Icon
        name={
          isAcross
            ? order.isDown.value
              ? 'arrow-left'
              : 'arrow-right'
            : order.isDown.value
              ? 'arrow-down'
              : 'arrow-up'
        }
        size={14}
      />
    )}
  </button>
)
