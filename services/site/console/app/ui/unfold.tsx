import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

interface UnfoldProps {
  title: string
  children: () => ComponentChildren
}

/** Fields that are made once they are unfolded, and stay; a form does not send what was never unfolded. */
export function Unfold({ title, children }: UnfoldProps) {
  const isMade = useSignal(false)
  return (
    <details
      class="unfold"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) isMade.value = true
      }}
    >
      <summary>{title}</summary>
      {isMade.value && <div class="fields">{children()}</div>}
    </details>
  )
}
