/** One row of the result. */
export interface Figure {
  what: string
  ours: string
  reference: string
  /** A ratio, a difference or a time, as the wanted value. */
  result: string
  wanted: string
  /** Undefined where nothing is wanted. */
  met: boolean | undefined
}

/** The median; of an even number of values, the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export const quantile = (values: readonly number[], share: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

/** The ratio of each round. */
const ratiosOf = (ours: readonly number[], reference: readonly number[]) =>
  ours.map((value, round) => value / (reference[round] ?? Number.NaN))

const spread = (ratios: readonly number[]) =>
  `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`

export interface Comparison {
  what: string
  /** The rate of each round. */
  ours: readonly number[]
  reference: readonly number[]
  /** Describes the reference. */
  against: string
  atLeast?: number | undefined
}

/** Compares two rates that were measured in interleaved rounds. */
export function ratioFigure({ what, ours, reference, against, atLeast }: Comparison): Figure {
  const ratios = ratiosOf(ours, reference)
  return {
    what,
    ours: perSecond(median(ours)),
    reference: `${perSecond(median(reference))} ${against}`,
    result: spread(ratios),
    wanted: atLeast === undefined ? '' : `≥ ${atLeast}`,
    met: atLeast === undefined ? undefined : median(ratios) >= atLeast,
  }
}

/** Compares two times in milliseconds; lower is better. */
export function timeFigure(
  what: string,
  ours: readonly number[],
  reference: readonly number[],
  atMost: number,
): Figure {
  const ratios = ratiosOf(ours, reference)
  return {
    what,
    ours: `${median(ours).toFixed(1)} ms`,
    reference: `${median(reference).toFixed(1)} ms`,
    result: spread(ratios),
    wanted: `≤ ${atMost}`,
    met: median(ratios) <= atMost,
  }
}

/** The row of a section that could not be measured. */
export const failedFigure = (section: string, error: unknown): Figure => ({
  what: section,
  ours: '',
  reference: (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '',
  result: 'FAILED',
  wanted: '',
  met: undefined,
})

const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en-US')}/s`

const COLUMNS = ['what', 'ours', 'reference', 'ratio', 'wanted', ''] as const

/** The figures as a table of text; a row below the wanted value ends with `short`. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, ours, reference, result, wanted, met }) => [
    ...[what, ours, reference, result, wanted],
    met === false ? 'short' : '',
  ])
  const widths = COLUMNS.map((column, at) => Math.max(column.length, ...rows.map((row) => row[at]?.length ?? 0)))
  return [[...COLUMNS], widths.map((width) => '-'.repeat(width)), ...rows]
    .map((row) =>
      widths
        .map((width, at) => (row[at] ?? '').padEnd(width))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
