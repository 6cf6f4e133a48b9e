import { computed, effect, signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Whether the script of the screen that was asked for is being loaded, beside the screen before it. */
export const isScreenLoading = signal(false)

/** Without a first read for this time, what was read shows nothing more that reads in turn. */
const QUIET_MS = 80
/** A slow read does not hold back the others for longer. */
const MAX_MS = 1_200

let reading = 0
let quiet: ReturnType<typeof setTimeout> | undefined
/** Whether something is being read for the first time, or was a moment ago. */
const isReading = signal(false)

/** Whether the screen still changes by itself. */
export const isBusy = computed(() => isScreenLoading.value || isReading.value)

/** Counts a first read, whatever comes of it. */
export function firstRead<T>(read: Promise<T>): Promise<T> {
  reading += 1
  clearTimeout(quiet)
  isReading.value = true
  return read.finally(() => {
    reading -= 1
    if (reading > 0) return
    quiet = setTimeout(() => {
      isReading.value = false
    }, QUIET_MS)
  })
}

/** Whether what a record consists of was read, so that nothing moves once it is shown. `isKnown`: by a former visit. */
export function useSettled(isKnown = false): boolean {
  const isSettled = useSignal(isKnown)
  useEffect(() => {
    if (isKnown) return
    const settle = () => {
      isSettled.value = true
    }
    let stop = () => {}
    const begin = setTimeout(() => {
      stop = effect(() => {
        if (!isReading.value) settle()
      })
    }, QUIET_MS)
    const end = setTimeout(settle, MAX_MS)
    return () => {
      clearTimeout(begin)
      clearTimeout(end)
      stop()
    }
  }, [])
  return isSettled.value
}
