import type { FieldError } from '../../../proto/errors.ts'

/** What is wrong with a list of options: ids that the field does not have, ids or names that stand twice. */
export function optionProblems(
  options: readonly { id?: string; name: string }[],
  known: ReadonlySet<string>,
): FieldError[] {
  const problems: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, { id, name }] of options.entries()) {
    const field = `options.${index}`
    if (id !== undefined && !known.has(id))
      problems.push({ field: `${field}.id`, message: 'names no option of the field' })
    if (id !== undefined && seen.has(id)) problems.push({ field: `${field}.id`, message: 'stands twice' })
    if (seen.has(`=${name}`)) problems.push({ field: `${field}.name`, message: 'stands twice' })
    if (id !== undefined) seen.add(id)
    seen.add(`=${name}`)
  }
  return problems
}
