import type { Part } from '../../../proto/http/sourcing/parts.ts'
import type { MeasuredBox } from '../../../proto/http/sourcing/previews.ts'

type Box = NonNullable<Part['boundingBox']>

const MM_PER_INCH = 25.4

const AXES = ['x', 'y', 'z'] as const

/** The extent of a part in millimetres. */
export function boxInMm(box: Box, unitSystem: Part['unitSystem']): Box {
  const scale = unitSystem === 'IMPERIAL' ? MM_PER_INCH : 1
  return Object.fromEntries(
    AXES.flatMap((axis) => {
      const extent = box[axis]
      return extent === undefined ? [] : [[axis, extent * scale]]
    }),
  )
}

/** What a reader may know of the newest model of a part. */
export interface Measured {
  /** The key of a picture of the part. */
  picture?: string
  boundingBox?: MeasuredBox
}

/** The fields of a part that come from its newest model. */
export function measuredFields(
  { boundingBox = {}, unitSystem }: Pick<Part, 'boundingBox' | 'unitSystem'>,
  { boundingBox: measured }: Measured,
): Pick<Part, 'measuredBoundingBox' | 'boundingBoxDiffers'> {
  if (!measured) return {}
  const own = Object.values(boxInMm(boundingBox, unitSystem))
  if (own.length === 0) return { measuredBoundingBox: measured }
  return differs(own, Object.values(measured)) ? { boundingBoxDiffers: true } : {}
}

/** The largest difference that counts as none, as a share of the largest axis. */
const TOLERANCE = 0.01
/** Rounding of the arithmetic, in mm. */
const ROUNDING = 1e-9

/** Whether no order of the measured axes has all stated ones. */
function differs(own: readonly number[], measured: readonly number[]): boolean {
  const most = Math.max(...own) * TOLERANCE + ROUNDING
  return !ordersOf(measured).some((axes) => own.every((extent, at) => Math.abs(extent - (axes[at] ?? 0)) <= most))
}

/** All orders of three axes. */
const ordersOf = <Axis>([a, b, c]: readonly Axis[]): Axis[][] =>
  [
    [a, b, c],
    [a, c, b],
    [b, a, c],
    [b, c, a],
    [c, a, b],
    [c, b, a],
  ] as Axis[][]

/** The longest life of a URL. Half of it is the shortest, so that a browser may keep the picture between reads. */
const URL_SECONDS = 300

/** When a URL expires, in seconds since 1970: the same for all reads within half of its life. */
export function expiryOf(now: string): number {
  const step = URL_SECONDS / 2
  return (Math.floor(Date.parse(now) / 1000 / step) + 2) * step
}
