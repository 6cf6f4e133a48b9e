import type { FieldError } from '../../../proto/errors.ts'
import { noSuch } from '../../../proto/messages.ts'

/** Problems of a list of options: unknown ids, repeated ids and repeated names. */
export function optionProblems(
  options: readonly { id?: string; name: string }[],
  known: ReadonlySet<string>,
): FieldError[] {
  const problems: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, { id, name }] of options.entries()) {
    const field = `options.${index}`
    if (id !== undefined && !known.has(id))
      problems.push({ field: `${field}.id`, message: noSuch('option', id, 'of the field') })
    if (id !== undefined && seen.has(id)) problems.push({ field: `${field}.id`, message: 'is repeated' })
    if (seen.has(`=${name}`)) problems.push({ field: `${field}.name`, message: 'is repeated' })
    if (id !== undefined) seen.add(id)
    seen.add(`=${name}`)
  }
  return problems
}
