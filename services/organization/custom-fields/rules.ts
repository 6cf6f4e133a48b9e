import type { FieldError } from '../../../proto/errors.ts'
import { noSuch } from '../../../proto/messages.ts'

type SentOption = { id?: string; name: string }

/** Repeated ids and names of options. */
export function repeatedProblems({ options = [] }: { options?: readonly SentOption[] }): FieldError[] {
  const problems: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, { id, name }] of options.entries()) {
    const field = `options.${index}`
    if (id !== undefined && seen.has(id)) problems.push({ field: `${field}.id`, message: 'is repeated' })
    if (seen.has(`=${name}`)) problems.push({ field: `${field}.name`, message: 'is repeated' })
    if (id !== undefined) seen.add(id)
    seen.add(`=${name}`)
  }
  return problems
}

export const unknownOptions = (options: readonly SentOption[], known: ReadonlySet<string>): FieldError[] =>
  options.flatMap(({ id }, index) =>
    id === undefined || known.has(id)
      ? []
      : [{ field: `options.${index}.id`, message: noSuch('option', id, 'of the field') }],
  )
