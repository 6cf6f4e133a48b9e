import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { screens } from '../screens.ts'

/** What is open over the screen. */
export const overlay = signal<'palette' | 'help' | undefined>(undefined)

const STORED = 'marketplace-keys'
/** Single keys can be turned off, because they are in the way of people who speak to their computer. */
export const hasKeys = signal(localStorage.getItem(STORED) !== 'off')

export function setKeys(isOn: boolean): void {
  hasKeys.value = isOn
  localStorage.setItem(STORED, isOn ? 'on' : 'off')
}

const JUMP_MS = 1_500
const ROWS = 'main .rows tbody tr, main .waiting > li'

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input:not([type=checkbox], [type=radio]), select, textarea') !== null

/** Moves the focus to the link of the next or the previous row. */
function moveBy(step: number): void {
  const links = [...document.querySelectorAll(ROWS)].flatMap((row) => row.querySelector('a') ?? [])
  const present = links.findIndex((link) => link.closest('tr, li')?.contains(document.activeElement))
  links[present < 0 ? 0 : Math.min(links.length - 1, Math.max(0, present + step))]?.focus()
}

function search(): void {
  const field = document.querySelector<HTMLInputElement>('main .filters [type=search]')
  if (field) field.focus()
  else overlay.value = 'palette'
}

/** The keys of the console: Ctrl or Cmd with K always, single keys outside of text fields. */
export function useKeys(): void {
  const { route } = useLocation()
  useEffect(() => {
    let jumpUntil = 0
    const pressed = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      if (document.querySelector('dialog[open]')) return
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        overlay.value = 'palette'
        return
      }
      if (ctrlKey || metaKey || altKey || !hasKeys.value || isTyping(event.target)) return
      const target = Date.now() < jumpUntil ? screens().find((screen) => screen.key === key) : undefined
      jumpUntil = key === 'g' ? Date.now() + JUMP_MS : 0
      const run = target
        ? () => route(target.path)
        : {
            '/': search,
            '?': () => {
              overlay.value = 'help'
            },
            j: () => moveBy(1),
            k: () => moveBy(-1),
          }[key]
      if (!run) return
      event.preventDefault()
      run()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [route])
}
