import { duplicateFinder, type FieldError, problem } from '../../../proto/errors.ts'
import { MAX_PACKAGE_INVITATIONS, type RfqPackageInput } from '../../../proto/http/sourcing/rfq-packages.ts'
import type { Rfq, RfqInput } from '../../../proto/http/sourcing/rfqs.ts'
import type { RfqState } from '../../../proto/states/rfqs.ts'
import { stateAt } from '../rfqs/rules.ts'

/** The content of each line of a new package: its part, quantities and manufacturers with the common terms. */
export const lineInputs = ({ title, lines, manufacturerIds = [], ...common }: RfqPackageInput): RfqInput[] =>
  lines.map(({ partId, quantities, manufacturerIds: own }) => ({
    ...common,
    partId,
    ...(quantities && { quantities }),
    manufacturerIds: own ?? manufacturerIds,
  }))

/** More invitations than a package may have. */
export function sizeProblems(input: RfqPackageInput): FieldError[] {
  const count = lineInputs(input).reduce((sum, { manufacturerIds = [] }) => sum + new Set(manufacturerIds).size, 0)
  return count <= MAX_PACKAGE_INVITATIONS
    ? []
    : [problem('lines', `must have at most ${MAX_PACKAGE_INVITATIONS} invitations together, not ${count}`)]
}

/** Parts that are named twice. */
export const partProblems = ({ lines }: RfqPackageInput): FieldError[] => {
  const duplicate = duplicateFinder()
  return lines.flatMap(({ partId }, index) => duplicate(`lines.${index}.partId`, partId))
}

/** A verb of a package that is one of each of its RFQs. */
export type LineVerb = 'publish' | 'extend' | 'amend' | 'close' | 'cancel'

const ENDED: readonly RfqState[] = ['AWARDED', 'CANCELLED']

/** The states of lines that a verb leaves as they are. In every other state its RFQ must allow the verb. */
const SKIPPED: Readonly<Record<LineVerb, readonly RfqState[]>> = {
  publish: ['OPEN', 'CLOSED', ...ENDED],
  extend: ENDED,
  amend: ENDED,
  close: ['CLOSED', ...ENDED],
  cancel: ENDED,
}

/** The lines to which a verb applies. */
export const linesFor = <Line extends Pick<Rfq, 'state' | 'expireTime'>>(
  verb: LineVerb,
  lines: readonly Line[],
  now: string,
): Line[] => lines.filter((line) => !SKIPPED[verb].includes(stateAt(line, now)))

const NOTHING: Readonly<Record<LineVerb, string>> = {
  publish: 'No line of the package is DRAFT.',
  extend: 'No line of the package is OPEN.',
  amend: 'No line of the package is OPEN.',
  close: 'No line of the package is OPEN.',
  cancel: 'Every line of the package is AWARDED or CANCELLED.',
}

/** Why a verb has nothing to do. */
export const nothingTo = (verb: LineVerb): string => NOTHING[verb]

/** Why the title is fixed, and the package cannot be deleted. */
export function draftProblem(lines: readonly Pick<Rfq, 'id' | 'state'>[]): string | undefined {
  const index = lines.findIndex(({ state }) => state !== 'DRAFT')
  const line = lines[index]
  return line && `The line lines.${index} (${line.id}) is ${line.state}, not DRAFT.`
}
