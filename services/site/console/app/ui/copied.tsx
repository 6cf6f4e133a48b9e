import { signal } from '@preact/signals'
import { t } from '../texts.ts'

/** The value that was copied last. */
const copied = signal('')

export function CopyButton({ value, label }: { value: string; label?: string }) {
  const text = copied.value === value ? t.ui.copied : t.ui.copy
  return (
    <button
      type="button"
      aria-label={label && `${text}: ${label}`}
      onClick={async () => {
        await navigator.clipboard.writeText(value)
        copied.value = value
      }}
    >
      {text}
    </button>
  )
}

/** A value with a button that copies it. */
export const Copied = ({ label, value }: { label: string; value: string }) => (
  <div class="secret">
    <strong>{label}</strong>
    <code>{value}</code>
    <CopyButton label={label} value={value} />
  </div>
)
