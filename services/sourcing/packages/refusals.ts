import { ERRORS, type FieldError } from '../../../proto/errors.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { MAX_FIELD_ERRORS, Refusal, refuse } from '../../kit/errors/refusal.ts'
import type { EachRfq } from '../rfqs/legality.ts'

/** Something that a request names, whose problems are named after it. */
export interface Named {
  /** `lines.3`, or a field of it that has every problem: `awards.3.rfqId`. */
  name: string
  rfqId?: string
}

/** RFQs that the sentence of a refusal names. */
const MAX_NAMED = 5

/** What is refused of a request with many lines. Nothing of it may change then. */
export class Refusals {
  readonly #refused: { line: Named; refusal: Refusal; errors: FieldError[] }[] = []

  /** Does the work of a line, and remembers its refusal. Undefined: refused. */
  async collect<Result>(line: Named, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refusal) || ERRORS[error.code].status >= 500) throw error
      const errors = error.errors ?? [{ field: '', message: error.detail }]
      this.#refused.push({ line, refusal: error, errors: errors.map((one) => named(line, one)) })
      return undefined
    }
  }

  /** Throws one refusal for all lines, in their order. */
  throwIfAny(): void {
    const refused = this.#refused.toSorted((a, b) => placeOf(a.line) - placeOf(b.line))
    const [first] = refused
    if (!first) return
    const { code, headers } = first.refusal
    throw refuse(code, {
      // The sentence of a validation error names its first field.
      ...(code !== 'validation_error' && {
        detail: `Nothing was changed, because of ${listed(refused.map(({ line }) => line))}.`,
      }),
      errors: refused.flatMap(({ errors }) => errors).slice(0, MAX_FIELD_ERRORS),
      ...(headers && { headers }),
    })
  }
}

const placeOf = ({ name }: Named) => Number(name.split('.')[1])

function named({ name }: Named, { field, message }: FieldError): FieldError {
  // The rules of awards know the names of the request.
  if (field.startsWith('awards.')) return { field, message }
  const isField = field === '' || name.endsWith('Id')
  return { field: isField ? name : `${name}.${field}`, message }
}

function listed(lines: readonly Named[]): string {
  const shown = lines.slice(0, MAX_NAMED).map(({ name, rfqId }) => (rfqId ? `${name} (${rfqId})` : name))
  const others = lines.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ')
}

/** Checks RFQs of a package, and names each refused one by its place in the package. */
export function eachLine(lines: readonly Rfq[]): EachRfq {
  const places = new Map(lines.map(({ id }, index) => [id, index]))
  return async (rfqs, check) => {
    const refusals = new Refusals()
    for (const rfq of rfqs) {
      await refusals.collect({ name: `lines.${places.get(rfq.id)}`, rfqId: rfq.id }, () => check(rfq))
    }
    refusals.throwIfAny()
  }
}
