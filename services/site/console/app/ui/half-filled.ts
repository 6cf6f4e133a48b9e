import { t } from '../texts.ts'

/** Forms with text that is not sent, each with the address at which it was typed. */
const halfFilled = new Map<HTMLFormElement, string>()

export const markHalfFilled = (form: HTMLFormElement) => {
  if (!halfFilled.has(form)) halfFilled.set(form, location.href)
}
export const unmarkHalfFilled = (form: HTMLFormElement) => void halfFilled.delete(form)

/** Asks before text is lost, in any form or in those of an element. A form that is left is not asked about again. */
export function mayLeave(within?: Element): boolean {
  const left = [...halfFilled.keys()].filter((form) => !within || within.contains(form))
  if (left.length > 0 && !confirm(t.ui.leave)) return false
  for (const form of left) halfFilled.delete(form)
  return true
}

/** Whether a click leads to another screen: the clicks that the router follows. */
function isToOtherScreen(event: MouseEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return false
  const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement)
  return link?.getAttribute('href')?.startsWith('/console') === true && !link.download
}

/** Registered before the router, so that a click or a step back that is refused does not reach it. */
export function askBeforeLeaving(): void {
  addEventListener(
    'click',
    (event) => {
      if (!isToOtherScreen(event) || mayLeave()) return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    true,
  )
  addEventListener(
    'popstate',
    (event) => {
      const [address] = halfFilled.values()
      if (mayLeave()) return
      event.stopImmediatePropagation()
      history.pushState(null, '', address)
    },
    true,
  )
  addEventListener('beforeunload', (event) => {
    if (halfFilled.size > 0) event.preventDefault()
  })
}
