import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { File, Preview } from '../api.ts'
import { fill, t } from '../texts.ts'
import { underOwnName } from '../upload.ts'
import { Dialog } from './dialog.tsx'
import { Model } from './model.tsx'
import { Pages } from './pages.tsx'

/** What files and documents have in common. */
type Pictured = Pick<File, 'name' | 'previews' | 'geometry' | 'contentType' | 'downloadUrl'>

/** Its address is signed anew in each answer, so the first one stays. */
const Thumbnail = ({ url }: { url: string }) => (
  <img src={useRef(underOwnName(url)).current} alt="" width={56} height={56} loading="lazy" />
)

/** An image without a preview. */
const pictureItself = ({ contentType = '', downloadUrl, previews }: Pictured): Preview[] =>
  downloadUrl && !previews && contentType.startsWith('image/') ? [{ kind: 'IMAGE', url: downloadUrl }] : []

/** The picture of a file, which opens its model, its pages or itself. */
export function FilePreview({ file }: { file: Pictured }) {
  const { name, previews = [], geometry } = file
  const isOpen = useSignal(false)
  const made = previews.filter(({ kind }) => kind !== 'MODEL')
  const pages = made.length > 0 ? made : pictureItself(file)
  const model = previews.find(({ kind }) => kind === 'MODEL')
  const [first] = pages
  if (geometry?.state === 'FAILED') {
    return <small class="hint">{t.viewer.failures[geometry.reason ?? 'CRASHED']}</small>
  }
  if (!first) return null
  const close = () => {
    isOpen.value = false
  }
  return (
    <>
      <button
        type="button"
        class="thumbnail"
        aria-label={fill(t.viewer.open, { name })}
        onClick={() => {
          isOpen.value = true
        }}
      >
        <Thumbnail key={first.url.split('?')[0]} url={first.url} />
      </button>
      {isOpen.value && (
        <Dialog title={name} isWide onClose={close}>
          {model ? <Model url={model.url} name={name} geometry={geometry} /> : <Pages pages={pages} name={name} />}
          <div class="buttons">
            <button type="button" class="primary" onClick={close}>
              {t.ui.close}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
