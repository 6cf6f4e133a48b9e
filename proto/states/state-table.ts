import type { FieldError } from '../errors.ts'
import { oneOf } from '../messages.ts'

/** The organizations that verbs belong to, as sentences name them. */
const ACTORS = {
  applicant: 'the applicant, with the mailed link',
  assignee: 'the organization that should do it',
  consumer: 'the consumer',
  counterparty: 'the organization that did not propose it',
  creator: 'the organization that created it',
  closer: 'the organization that closed it',
  decider: 'the other one of consumer and manufacturer',
  invitee: 'an invited manufacturer',
  ipOwner: 'the IP owner',
  manufacturer: 'the manufacturer',
  operator: "the platform's operator",
  owner: 'its organization',
  party: 'any party',
  proposer: 'the side that proposed it',
  seller: 'the seller',
  /** No request has the verb: it follows from another verb or from time. */
  marketplace: 'the marketplace',
} as const
export type Actor = keyof typeof ACTORS

/** The state of a record that no longer exists. */
export const DELETED = 'DELETED'

/** A verb of a record. */
export interface Transition<State extends string = string, Guard extends string = string> {
  /** The states in which it may be used. */
  readonly from: readonly State[]
  /** The next state. Without one the state stays; with several, the record returns to the one that it had before. */
  readonly to?: State | typeof DELETED | readonly State[]
  /** The organizations that may use it. */
  readonly by: readonly Actor[]
  /** The conditions besides the state. The rules of a feature have a function of each name (`requireGuards`). */
  readonly guards?: readonly Guard[]
}

/** The names of the guards of a table. */
type GuardOf<Verbs> = {
  [Verb in keyof Verbs]: Verbs[Verb] extends { guards: readonly (infer Guard extends string)[] } ? Guard : never
}[keyof Verbs]

/** What a guard refuses: a sentence, with which the check ends, or fields, which are collected. */
type Problem = string | readonly FieldError[] | undefined

/** The guards of some verbs: one function for each, of the name that it has in the table. */
export type Guards<Verbs, Verb extends keyof Verbs, Facts> = Readonly<
  Record<GuardOf<Pick<Verbs, Verb>>, (facts: Facts) => Problem>
>

interface Definition<State extends string, Verbs> {
  /** The name of the record in messages. */
  readonly record: string
  readonly states: readonly State[]
  /** The state of a new record. */
  readonly initial: State
  readonly verbs: Verbs
}

/** The states of a kind of records and the verbs that move them. Commands, contract, diagrams and clients read it. */
export class StateTable<const State extends string, const Verbs extends Readonly<Record<string, Transition<State>>>> {
  readonly record: string
  readonly states: readonly State[]
  readonly initial: State
  readonly verbs: Verbs

  constructor({ record, states, initial, verbs }: Definition<State, Verbs>) {
    this.record = record
    this.states = states
    this.initial = initial
    this.verbs = verbs
  }

  /** Whether a verb may be used in a state, apart from its guards. */
  isLegal(verb: keyof Verbs, state: State): boolean {
    return this.#transition(verb).from.includes(state)
  }

  guards(verb: keyof Verbs): readonly GuardOf<Verbs>[] {
    return (this.#transition(verb).guards ?? []) as readonly GuardOf<Verbs>[]
  }

  /** The sentence of the first guard of a verb that has one, else the fields that all its guards refuse. */
  problems<Verb extends keyof Verbs, Facts>(
    verb: Verb,
    guards: Guards<Verbs, Verb, Facts>,
    facts: Facts,
  ): string | readonly FieldError[] {
    const refused: FieldError[] = []
    for (const name of this.guards(verb)) {
      const problem = guards[name as keyof typeof guards](facts)
      if (typeof problem === 'string') return problem
      refused.push(...(problem ?? []))
    }
    return refused
  }

  /** The state that follows a verb. `previous`: the one to which a verb with several next states returns. */
  stateAfter(verb: keyof Verbs, state: State, previous?: State | null): State {
    const { to = state } = this.#transition(verb)
    const after = typeof to === 'string' ? to : previous
    if (!after || after === DELETED) throw new Error(`no state of the ${this.record} follows ${String(verb)}`)
    return after
  }

  /** Why a verb is refused in a state. */
  refusal(verb: keyof Verbs, state: State): string {
    return `The ${this.record} is ${state}, not ${oneOf(this.#transition(verb).from)}.`
  }

  /** Which organizations may use a verb, in which states, and what it leads to. */
  sentence(verb: keyof Verbs): string {
    const { from, to, by } = this.#transition(verb)
    const actors = `By ${oneOf(by.map((actor) => ACTORS[actor]))}`
    if (typeof to === 'object') return `${actors}, from ${oneOf(from)} to the state before it.`
    if (to !== undefined && to !== DELETED) return `${actors}, from ${oneOf(from)} to ${to}.`
    return from.length === this.states.length ? `${actors}, in any state.` : `${actors}, in state ${oneOf(from)}.`
  }

  #transition(verb: keyof Verbs): Transition<State> {
    return this.verbs[verb] as Transition<State>
  }
}
