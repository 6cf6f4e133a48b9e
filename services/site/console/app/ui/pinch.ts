import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Point {
  x: number
  y: number
}

/** What two fingers on something do: their distance grows by a factor around a point of the window. */
type Pinched = (factor: number, around: Point) => void

const MAX_FINGERS = 2

/** Follows two fingers. One finger scrolls as everywhere. */
export function usePinch(element: RefObject<HTMLElement | null>, onPinch: Pinched) {
  const fingers = useRef(new Map<number, Point>())
  useEffect(() => {
    // A browser that begins to scroll with two fingers tells no more of them.
    const keep = (event: TouchEvent) => {
      if (event.touches.length === MAX_FINGERS && event.cancelable) event.preventDefault()
    }
    const shown = element.current
    shown?.addEventListener('touchmove', keep, { passive: false })
    return () => shown?.removeEventListener('touchmove', keep)
  }, [])
  const spread = () => {
    const [one, other] = [...fingers.current.values()]
    if (!one || !other) return undefined
    const around = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 }
    return { distance: Math.hypot(one.x - other.x, one.y - other.y), around }
  }
  const pointOf = ({ clientX: x, clientY: y }: PointerEvent) => ({ x, y })
  const lifted = ({ pointerId }: PointerEvent) => void fingers.current.delete(pointerId)
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType === 'touch' && fingers.current.size < MAX_FINGERS)
        fingers.current.set(event.pointerId, pointOf(event))
    },
    onPointerMove: (event: PointerEvent) => {
      if (!fingers.current.has(event.pointerId)) return
      const before = spread()
      fingers.current.set(event.pointerId, pointOf(event))
      const after = spread()
      if (before && after && before.distance > 0) onPinch(after.distance / before.distance, after.around)
    },
    onPointerUp: lifted,
    onPointerCancel: lifted,
  }
}
