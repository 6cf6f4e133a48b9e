/** One line of the result. */
export interface Figure {
  what: string
  ours: string
  reference: string
  /** Ratio, difference or sum: whatever the wish is about. */
  result: string
  wanted: string
  /** Undefined where nothing is wanted: the figure is there to compare with. */
  met: boolean | undefined
}

/** The middle of the values; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** What was measured at the same time belongs together: the ratio of each round. */
export const ratiosOf = (ours: readonly number[], reference: readonly number[]): number[] =>
  ours.map((value, round) => value / (reference[round] ?? Number.NaN))

export interface Comparison {
  what: string
  /** What one side does in a second, for each round. */
  ours: readonly number[]
  reference: readonly number[]
  /** Says what the reference is. */
  against: string
  atLeast?: number
}

/** A figure of two rates that were measured in turns. */
export function ratioFigure({ what, ours, reference, against, atLeast }: Comparison): Figure {
  const ratios = ratiosOf(ours, reference)
  const middle = median(ratios)
  return {
    what,
    ours: perSecond(median(ours)),
    reference: `${perSecond(median(reference))} ${against}`,
    result: `${middle.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
    wanted: atLeast === undefined ? '' : `≥ ${atLeast}`,
    met: atLeast === undefined ? undefined : middle >= atLeast,
  }
}

export const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en-US')}/s`

const COLUMNS = ['what', 'ours', 'reference', 'ratio', 'wanted', ''] as const

/** The figures as a table of text; what falls short says so at the end of its line. */
export function tableOf(figures: readonly Figure[]): string {
  const lines = figures.map(({ what, ours, reference, result, wanted, met }) => [
    what,
    ours,
    reference,
    result,
    wanted,
    met === false ? 'short' : '',
  ])
  const table = [[...COLUMNS], COLUMNS.map(() => ''), ...lines]
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  return table
    .map((line, row) => widths.map((width, at) => (row === 1 ? '-'.repeat(width) : (line[at] ?? '').padEnd(width))))
    .map((cells) => cells.join('  ').trimEnd())
    .join('\n')
}
