import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ORDER } from '../../../../../proto/states/orders.ts'
import { type Order, patch } from '../api.ts'
import { mayUse, permits } from '../me.ts'
import { t } from '../texts.ts'
import { FieldProblem, reasonOfRefusal } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { upload } from '../upload.ts'

/** Takes a photo with the camera of the device, or chooses one, and adds it to the documents of the order. */
export function TakePhoto({ order }: { order: Order }) {
  const input = useRef<HTMLInputElement>(null)
  const share = useSignal<number | undefined>(undefined)
  const message = useSignal('')
  if (!mayUse(ORDER, 'updateFiles', order) || !permits('POST /v1/uploads')) return null
  const add = async (file: File) => {
    share.value = 0
    message.value = ''
    try {
      const uploadId = await upload(file, (sent) => {
        share.value = sent
      })
      await patch('/flows/v1/orders/{id}/files', order.id, { add: [{ uploadId, kind: 'PHOTO' }] })
      message.value = t.orders.photographed
    } catch (error) {
      message.value = error instanceof FieldProblem ? (error.fields[0]?.message ?? '') : reasonOfRefusal(error)
    }
    share.value = undefined
  }
  return (
    <div class="actions">
      <small role="status">{message.value}</small>
      {share.value !== undefined && <progress aria-label={t.parts.progress} max={1} value={share.value} />}
      <button type="button" disabled={share.value !== undefined} onClick={() => input.current?.click()}>
        <Icon name="camera" size={16} />
        {t.orders.photograph}
      </button>
      <input
        ref={input}
        type="file"
        accept="image/*"
        capture="environment"
        aria-label={t.orders.photograph}
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) add(file)
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
