import type { Actor } from '../../proto/states/state-table.ts'
import { notFound, refuse } from '../kit/errors/refusal.ts'

interface Table<Verb extends string, State extends string> {
  verbs: Readonly<Record<Verb, { by: readonly Actor[] }>>
  isLegal(verb: Verb, state: State): boolean
  refusal(verb: Verb, state: State): string
}

/** Throws 404 for a verb that does not belong to organizations in the role of the caller's. */
export function requireActor<Verb extends string>(
  { verbs }: Pick<Table<Verb, string>, 'verbs'>,
  verb: Verb,
  role: Actor,
): void {
  if (!verbs[verb].by.includes(role)) throw notFound()
}

/** Throws 409 for a verb that the state does not allow. */
export function requireTransition<Verb extends string, State extends string>(
  table: Table<Verb, State>,
  verb: Verb,
  state: State,
): void {
  if (!table.isLegal(verb, state)) throw refuse('illegal_transition', { detail: table.refusal(verb, state) })
}
