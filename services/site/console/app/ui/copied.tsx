import { useSignal } from '@preact/signals'
import { t } from '../texts.ts'

/** A value with a button that copies it. */
export function Copied({ label, value }: { label: string; value: string }) {
  const isCopied = useSignal(false)
  return (
    <div class="secret">
      <strong>{label}</strong>
      <code>{value}</code>
      <button
        type="button"
        aria-label={`${isCopied.value ? t.ui.copied : t.ui.copy}: ${label}`}
        onClick={async () => {
          await navigator.clipboard.writeText(value)
          isCopied.value = true
        }}
      >
        {isCopied.value ? t.ui.copied : t.ui.copy}
      </button>
    </div>
  )
}
