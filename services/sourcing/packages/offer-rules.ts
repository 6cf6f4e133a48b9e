import { duplicateFinder, type FieldError, problem } from '../../../proto/errors.ts'
import { MAX_PACKAGE_BREAKS, type PackageOffersInput } from '../../../proto/http/sourcing/rfq-package-offers.ts'
import { priceBreakProblems } from '../offers/rules.ts'

type Line = NonNullable<PackageOffersInput['lines']>[number]

/** RFQs that are named twice, too many price breaks, and price breaks with the same quantity. */
export function linesProblems(lines: readonly Line[]): FieldError[] {
  const duplicate = duplicateFinder()
  const breaks = lines.reduce((sum, { priceBreaks }) => sum + priceBreaks.length, 0)
  return [
    ...(breaks > MAX_PACKAGE_BREAKS
      ? [problem('lines', `must have at most ${MAX_PACKAGE_BREAKS} price breaks together`)]
      : []),
    ...lines.flatMap((line, index) => [
      ...duplicate(`lines.${index}.rfqId`, line.rfqId),
      ...priceBreakProblems(line).map(({ field, message }) => problem(`lines.${index}.${field}`, message)),
    ]),
  ]
}
