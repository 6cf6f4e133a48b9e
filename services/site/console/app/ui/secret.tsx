import type { Signal } from '@preact/signals'
import { useSignal } from '@preact/signals'
import { t } from '../texts.ts'
import { Dialog } from './dialog.tsx'

export interface ShownSecret {
  title: string
  hint: string
  values: readonly (readonly [label: string, value: string])[]
}

/** Values that the marketplace shows once, such as a link or a key, until the dialog is closed. */
export function Secret({ shown }: { shown: Signal<ShownSecret | undefined> }) {
  const copied = useSignal('')
  const secret = shown.value
  if (!secret) return null
  const close = () => {
    shown.value = undefined
    copied.value = ''
  }
  return (
    <Dialog title={secret.title}>
      <p class="quiet">{secret.hint}</p>
      {secret.values.map(([label, value]) => (
        <div key={label} class="secret">
          <strong>{label}</strong>
          <code>{value}</code>
          <button
            type="button"
            onClick={async () => {
              await navigator.clipboard.writeText(value)
              copied.value = label
            }}
          >
            {copied.value === label ? t.ui.copied : t.ui.copy}
          </button>
        </div>
      ))}
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          {t.ui.close}
        </button>
      </div>
    </Dialog>
  )
}
