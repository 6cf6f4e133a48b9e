import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Preview } from '../api.ts'
import { fill, t } from '../texts.ts'
import { underOwnName } from '../upload.ts'
import { usePinch } from './pinch.ts'

const STEPS = [1, 1.5, 2, 3, 4]
const MOST = 4

/** Its address is signed anew in each answer, so the first one stays. */
const Sheet = ({ url, alt, zoom }: { url: string; alt: string; zoom: number }) => (
  <img src={useRef(underOwnName(url)).current} alt={alt} style={{ width: `${zoom * 100}%` }} />
)

/** The pages of a drawing, or a picture, with zoom. */
export function Pages({ pages, name }: { pages: readonly Preview[]; name: string }) {
  const at = useSignal(0)
  const scale = useSignal(1)
  const sheet = useRef<HTMLElement>(null)
  /** Keeps the point around which the page is scaled where it is. */
  const scaleTo = (wanted: number, around?: { x: number; y: number }) => {
    const next = Math.min(Math.max(wanted, 1), MOST)
    const shown = sheet.current
    const image = shown?.querySelector('img')
    if (!shown || !image) return
    const { left, top, width, height } = shown.getBoundingClientRect()
    const [x, y] = around ? [around.x - left, around.y - top] : [width / 2, height / 2]
    const factor = next / scale.value
    const [toLeft, toTop] = [(shown.scrollLeft + x) * factor - x, (shown.scrollTop + y) * factor - y]
    scale.value = next
    image.style.width = `${next * 100}%`
    shown.scrollTo(toLeft, toTop)
  }
  const pinch = usePinch(sheet, (factor, around) => scaleTo(scale.value * factor, around))
  const page = pages[at.value]
  if (!page) return null
  const turn = (by: number) => {
    at.value = Math.min(Math.max(at.value + by, 0), pages.length - 1)
  }
  const zoom = (by: 1 | -1) => {
    const next = by > 0 ? STEPS.find((step) => step > scale.value) : STEPS.findLast((step) => step < scale.value)
    if (next !== undefined) scaleTo(next)
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
      <section ref={sheet} class="sheet" tabIndex={0} aria-label={title} onKeyDown={pressed} {...pinch}>
        <Sheet key={page.url.split('?')[0]} url={page.url} alt={`${name}, ${title}`} zoom={scale.value} />
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
        <button type="button" disabled={scale.value === 1} onClick={() => zoom(-1)}>
          {t.viewer.smaller}
        </button>
        <button type="button" disabled={scale.value === MOST} onClick={() => zoom(1)}>
          {t.viewer.larger}
        </button>
      </div>
    </div>
  )
}
