import { h } from 'preact'
import shapes from './icons.json'

export type IconName = keyof typeof shapes

type Shape = readonly [tag: string, attributes: Readonly<Record<string, string>>]

/** An icon of Lucide. It only accompanies a text, so screen readers pass over it. */
export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" aria-hidden="true" width={size} height={size} viewBox="0 0 24 24">
    {(shapes[name] as unknown as readonly Shape[]).map(([tag, attributes]) => h(tag, attributes))}
  </svg>
)

/** Marks a value by its shape; a screen reader says why. */
export const Mark = ({ said }: { said: string }) => (
  <span class="mark">
    <Icon name="star" size={14} />
    <span class="said">{said}</span>
  </span>
)
