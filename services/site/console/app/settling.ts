import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Whether the script of the screen that was asked for is being loaded, beside the screen before it. */
export const isScreenLoading = signal(false)

/** How many things are being read for the first time. */
const reading = signal(0)

/** Counts a first read, whatever comes of it. */
export function firstRead<T>(read: Promise<T>): Promise<T> {
  reading.value += 1
  return read.finally(() => {
    reading.value -= 1
  })
}

const STEP_MS = 40
/** What was read may show more, which reads in turn: nothing is read for this many steps. */
const QUIET_STEPS = 2
/** A slow read does not hold back the others for longer. */
const MAX_STEPS = 30

/** Whether what a record consists of was read, so that nothing moves once it is shown. `isKnown`: by a former visit. */
export function useSettled(isKnown = false): boolean {
  const isSettled = useSignal(isKnown)
  useEffect(() => {
    if (isKnown) return
    let quiet = 0
    let steps = 0
    const timer = setInterval(() => {
      quiet = reading.peek() === 0 ? quiet + 1 : 0
      steps += 1
      if (quiet < QUIET_STEPS && steps < MAX_STEPS) return
      isSettled.value = true
      clearInterval(timer)
    }, STEP_MS)
    return () => clearInterval(timer)
  }, [])
  return isSettled.value
}
