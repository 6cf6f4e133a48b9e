import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { File } from '../api.ts'
import { number } from '../format.ts'
import { t } from '../texts.ts'
import { underOwnName } from '../upload.ts'
import type { ModelScene } from './model-scene.ts'
import type { Axis } from './model-section.ts'

const AXES: readonly Axis[] = ['x', 'y', 'z']
const TURN = Math.PI / 18
const ZOOM = 1.15
/** The section in percent of the box: all of the model, and what is left at the other end. */
const WHOLE = 100
const THINNEST = 0.5

/** What a key does to the view. */
const KEYS: Readonly<Record<string, (scene: ModelScene) => void>> = {
  ArrowLeft: (scene) => scene.turn(-TURN, 0),
  ArrowRight: (scene) => scene.turn(TURN, 0),
  ArrowUp: (scene) => scene.turn(0, TURN),
  ArrowDown: (scene) => scene.turn(0, -TURN),
  '+': (scene) => scene.zoom(1 / ZOOM),
  '=': (scene) => scene.zoom(1 / ZOOM),
  '-': (scene) => scene.zoom(ZOOM),
  f: (scene) => scene.fit(),
  Home: (scene) => scene.fit(),
}

type Geometry = NonNullable<File['geometry']>

/** The measures of a model as text. */
export function Measures({ geometry }: { geometry: Geometry }) {
  const { boundingBox: box, volume, surfaceArea, bodies, watertight, unit } = geometry
  if (!box || volume === undefined || surfaceArea === undefined) return null
  const length = (value: number) => number(Math.round(value * 100) / 100)
  return (
    <>
      <dl class="measures">
        <div>
          <dt>{t.viewer.box}</dt>
          <dd>
            {length(box.x)} × {length(box.y)} × {length(box.z)} mm
          </dd>
        </div>
        <div>
          <dt>{t.viewer.volume}</dt>
          <dd>
            {length(volume / 1000)} cm³{!watertight && ` (${t.viewer.estimate})`}
          </dd>
        </div>
        <div>
          <dt>{t.viewer.area}</dt>
          <dd>{length(surfaceArea / 100)} cm²</dd>
        </div>
        <div>
          <dt>{t.viewer.bodies}</dt>
          <dd>{number(bodies ?? 1)}</dd>
        </div>
      </dl>
      {unit === 'unknown' && <p class="hint">{t.viewer.unknownUnit}</p>}
    </>
  )
}

/** A model that can be turned, fitted, cut and seen with its edges, by pointer, touch and keyboard. */
export function Model({ url, name, geometry }: { url: string; name: string; geometry: Geometry | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scene = useRef<ModelScene | undefined>(undefined)
  const state = useSignal<'loading' | 'shown' | 'failed'>('loading')
  const hasEdges = useSignal(true)
  const axis = useSignal<Axis>('x')
  const percent = useSignal(WHOLE)
  // Its address is signed anew in each answer, so the first one stays.
  const first = useRef(underOwnName(url)).current

  useEffect(() => {
    let isOpen = true
    const observer = new ResizeObserver(() => scene.current?.resize())
    const load = async () => {
      const [{ showModel }, response] = await Promise.all([import('./model-scene.ts'), fetch(first)])
      if (!response.ok) throw new Error(String(response.status))
      const bytes = await response.arrayBuffer()
      if (!isOpen || !canvas.current) return
      const style = getComputedStyle(canvas.current)
      const colorOf = (name: string, unknown: string) => {
        const value = style.getPropertyValue(name).trim()
        return /^(#|rgb)/.test(value) ? value : unknown
      }
      const colors = { model: colorOf('--model', '#9fb0c1'), cut: colorOf('--cut', '#c9772b') }
      scene.current = await showModel(canvas.current, bytes, colors)
      scene.current.showEdges(hasEdges.value)
      observer.observe(canvas.current)
      state.value = 'shown'
    }
    load().catch(() => {
      state.value = 'failed'
    })
    return () => {
      isOpen = false
      observer.disconnect()
      scene.current?.dispose()
    }
  }, [first, state, hasEdges])

  const pressed = (event: KeyboardEvent) => {
    const act = KEYS[event.key]
    if (!act || !scene.current || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    act(scene.current)
  }
  const cut = () => scene.current?.cut(axis.value, Math.max(percent.value, THINNEST) / WHOLE)
  return (
    <div class="viewer">
      <div class="stage">
        <canvas ref={canvas} tabIndex={0} role="img" aria-label={`${name}. ${t.viewer.keys}`} onKeyDown={pressed} />
        <p role="status" class="quiet">
          {state.value === 'loading' && t.ui.loading}
          {state.value === 'failed' && t.viewer.failed}
        </p>
      </div>
      <div class="tools">
        <button type="button" onClick={() => scene.current?.fit()}>
          {t.viewer.fit}
        </button>
        <label>
          <input
            type="checkbox"
            checked={hasEdges.value}
            onChange={({ currentTarget }) => {
              hasEdges.value = currentTarget.checked
              scene.current?.showEdges(currentTarget.checked)
            }}
          />{' '}
          {t.viewer.edges}
        </label>
        <label>
          {t.viewer.section}{' '}
          <select
            value={axis.value}
            aria-label={t.viewer.axis}
            onChange={({ currentTarget }) => {
              axis.value = currentTarget.value as Axis
              cut()
            }}
          >
            {AXES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <input
            type="range"
            min={0}
            max={WHOLE}
            value={percent.value}
            aria-label={t.viewer.section}
            onInput={({ currentTarget }) => {
              percent.value = Number(currentTarget.value)
              cut()
            }}
          />
        </label>
      </div>
      {geometry && <Measures geometry={geometry} />}
    </div>
  )
}
