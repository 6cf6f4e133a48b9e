import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Preview } from '../api.ts'
import { fill, t } from '../texts.ts'
import { underOwnName } from '../upload.ts'

const STEPS = [1, 1.5, 2, 3, 4]

/** Its address is signed anew in each answer, so the first one stays. */
const Sheet = ({ url, alt, zoom }: { url: string; alt: string; zoom: number }) => (
  <img src={useRef(underOwnName(url)).current} alt={alt} style={{ width: `${zoom * 100}%` }} />
)

/** The pages of a drawing, or a picture, with zoom. */
export function Pages({ pages, name }: { pages: readonly Preview[]; name: string }) {
  const at = useSignal(0)
  const step = useSignal(0)
  const page = pages[at.value]
  if (!page) return null
  const turn = (by: number) => {
    at.value = Math.min(Math.max(at.value + by, 0), pages.length - 1)
  }
  const zoom = (by: number) => {
    step.value = Math.min(Math.max(step.value + by, 0), STEPS.length - 1)
  }
  const KEYS: Readonly<Record<string, () => void>> = {
    PageDown: () => turn(1),
    PageUp: () => turn(-1),
    '+': () => zoom(1),
    '=': () => zoom(1),
    '-': () => zoom(-1),
  }
  const pressed = (event: KeyboardEvent) => {
    const act = KEYS[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const title =
    pages.length > 1 ? fill(t.viewer.pageOf, { page: String(at.value + 1), pages: String(pages.length) }) : name
  return (
    <div class="viewer">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and its keys turn pages. */}
      <section class="sheet" tabIndex={0} aria-label={title} onKeyDown={pressed}>
        <Sheet key={page.url.split('?')[0]} url={page.url} alt={`${name}, ${title}`} zoom={STEPS[step.value] ?? 1} />
      </section>
      <div class="tools">
        {pages.length > 1 && (
          <>
            <button type="button" disabled={at.value === 0} onClick={() => turn(-1)}>
              {t.viewer.previous}
            </button>
            <span role="status">{title}</span>
            <button type="button" disabled={at.value === pages.length - 1} onClick={() => turn(1)}>
              {t.viewer.next}
            </button>
          </>
        )}
        <button type="button" disabled={step.value === 0} onClick={() => zoom(-1)}>
          {t.viewer.smaller}
        </button>
        <button type="button" disabled={step.value === STEPS.length - 1} onClick={() => zoom(1)}>
          {t.viewer.larger}
        </button>
      </div>
    </div>
  )
}
