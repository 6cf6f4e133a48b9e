import type { FieldError } from '../../../proto/errors.ts'
import type { Milestone, OrderState } from '../../../proto/http/sourcing/orders.ts'
import { oneOf } from '../../../proto/messages.ts'
import { ORDER_TRANSITIONS, type OrderVerb } from './states.ts'

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

export const illegal = (state: OrderState, verb: OrderVerb) =>
  `The order is ${state}, not ${oneOf(ORDER_TRANSITIONS[verb].from)}.`
