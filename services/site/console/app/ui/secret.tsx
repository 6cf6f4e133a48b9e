import type { Signal } from '@preact/signals'
import { t } from '../texts.ts'
import { Copied } from './copied.tsx'
import { Dialog } from './dialog.tsx'

export interface ShownSecret {
  title: string
  hint: string
  values: readonly (readonly [label: string, value: string])[]
}

/** Values that the marketplace shows once, such as a link or a key, until the dialog is closed. */
export function Secret({ shown }: { shown: Signal<ShownSecret | undefined> }) {
  const secret = shown.value
  if (!secret) return null
  const close = () => {
    shown.value = undefined
  }
  return (
    <Dialog title={secret.title}>
      <p class="quiet">{secret.hint}</p>
      {secret.values.map(([label, value]) => (
        <Copied key={label} label={label} value={value} />
      ))}
      <div class="buttons">
        <button type="button" class="primary" onClick={close}>
          {t.ui.close}
        </button>
      </div>
    </Dialog>
  )
}
