import type { FieldError } from '../../../proto/errors.ts'
import type { Milestone } from '../../../proto/http/sourcing/orders.ts'
import type { ORDER, OrderState } from '../../../proto/states/orders.ts'

export type OrderVerb = keyof typeof ORDER.verbs

const utcOf = (time: string) => new Date(time).toISOString()

/** Times as the API shows them. */
export const milestonesOf = (sent: readonly Milestone[]): Milestone[] =>
  sent.map(({ name, plannedTime, completedTime }) => ({
    name,
    ...(plannedTime === undefined ? {} : { plannedTime: utcOf(plannedTime) }),
    ...(completedTime === undefined ? {} : { completedTime: utcOf(completedTime) }),
  }))

/** Times that are in the year 0 or after 9999 in UTC, which have no date-time. */
export const milestoneProblems = ({ milestones }: { milestones: readonly Milestone[] }): FieldError[] =>
  milestones.flatMap((milestone, index) =>
    (['plannedTime', 'completedTime'] as const).flatMap((name) => {
      const time = milestone[name]
      return time === undefined || /^(?!0000)\d{4}-/.test(utcOf(time))
        ? []
        : [{ field: `milestones.${index}.${name}`, message: 'must be in a year from 1 to 9999, in UTC' }]
    }),
  )

/** The state to which an order returns from the state `after`; null if it is not on hold. */
export const heldStateAfter = (state: OrderState, after: OrderState, heldState: OrderState | null) => {
  if (after !== 'ON_HOLD') return null
  return state === 'ON_HOLD' ? heldState : state
}
