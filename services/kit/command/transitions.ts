import type { ErrorCode } from '../../../proto/errors.ts'
import type { Guards, StateTable, Transition } from '../../../proto/states/state-table.ts'
import { refuse } from '../errors/refusal.ts'

type Verbs<State extends string> = Readonly<Record<string, Transition<State>>>

/** The verbs of a table that have no guards. */
type Unguarded<V> = { [Verb in keyof V]: V[Verb] extends { guards: unknown } ? never : Verb }[keyof V]

/**
 * Throws 409 for a verb that the state does not allow. A verb with guards does not compile: it needs `requireGuards`.
 */
export function requireTransition<State extends string, V extends Verbs<State>>(
  table: StateTable<State, V>,
  verb: Unguarded<V>,
  state: State,
): void {
  requireState(table, verb, state)
}

function requireState<State extends string, V extends Verbs<State>>(
  table: StateTable<State, V>,
  verb: keyof V,
  state: State,
): void {
  if (!table.isLegal(verb, state)) throw refuse('illegal_transition', { detail: table.refusal(verb, state) })
}

interface GuardCheck<V, Verb extends keyof V, Facts> {
  guards: Guards<V, Verb, Facts>
  /** Reads what the guards of the verb compare, once the state allows it. */
  facts(): Facts | Promise<Facts>
  /** The sentence above the refused fields. */
  detail?: string
  code?: ErrorCode
}

/** Throws 409 for a verb that the state or a guard does not allow. */
export async function requireGuards<State extends string, V extends Verbs<State>, Verb extends keyof V, Facts>(
  table: StateTable<State, V>,
  verb: Verb,
  state: State,
  { guards, facts, code = 'illegal_transition', ...more }: GuardCheck<V, Verb, Facts>,
): Promise<void> {
  requireState(table, verb, state)
  if (table.guards(verb).length === 0) return
  const problems = table.problems(verb, guards, await facts())
  if (typeof problems === 'string') throw refuse(code, { detail: problems })
  const { detail = `The conditions of \`${String(verb)}\` are not met.` } = more
  if (problems.length > 0) throw refuse(code, { detail, errors: [...problems] })
}
