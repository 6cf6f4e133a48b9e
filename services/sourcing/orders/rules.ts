import type { FieldError } from '../../../proto/errors.ts'
import type { Milestone, Order, OrderState } from '../../../proto/http/sourcing/orders.ts'
import { oneOf } from '../../../proto/messages.ts'
import { FINAL_STATES, LIVE_STATES, ORDER_TRANSITIONS, type OrderVerb } from './states.ts'

/** The organizations that an order names. */
export type OrderParties = Pick<
  Order,
  'consumerOrgId' | 'ipOwnerOrgId' | 'manufacturerOrgId' | 'sellerOrgId' | 'distributorOrgId'
>

/** Whether an organization may read an order, its history, its part and its factory. `visibility.ts` has the rule in SQL. */
export const isParty = (order: OrderParties, orgId: string): boolean =>
  [
    order.consumerOrgId,
    order.ipOwnerOrgId,
    order.manufacturerOrgId,
    order.sellerOrgId,
    order.distributorOrgId,
  ].includes(orgId)

/** Whether an organization may use a verb on an order. */
export const mayUse = (verb: OrderVerb, order: OrderParties, orgId: string): boolean =>
  ORDER_TRANSITIONS[verb].by.some((actor) => order[`${actor}OrgId`] === orgId)

/** Whether the manufacturer of an order sees the files of the group `ip`. */
export const isLive = (state: OrderState): boolean => LIVE_STATES.includes(state)

/** Whether the part of an order must be kept. */
export const isUnfinished = (state: OrderState): boolean => !FINAL_STATES.includes(state)

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
