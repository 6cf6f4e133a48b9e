import { StateTable } from './state-table.ts'

export const PART_STATES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const
export type PartState = (typeof PART_STATES)[number]

/**
 * `hasRequiredFields`: a part has a title, and a material or a material type. `keepsRequiredFields`: one that is or was
 * published still has them. `staysInternal`: until its RFQs with confidentiality terms have ended. `isNotInTrade`: no
 * RFQ of it is OPEN or CLOSED, and no order of it is unfinished.
 */
export const PART = new StateTable({
  record: 'part',
  states: PART_STATES,
  initial: 'DRAFT',
  verbs: {
    patch: { from: PART_STATES, by: ['ipOwner'], guards: ['keepsRequiredFields', 'staysInternal'] },
    publish: { from: ['DRAFT'], to: 'PUBLISHED', by: ['ipOwner'], guards: ['hasRequiredFields'] },
    archive: { from: ['PUBLISHED'], to: 'ARCHIVED', by: ['ipOwner'] },
    unarchive: { from: ['ARCHIVED'], to: 'PUBLISHED', by: ['ipOwner'], guards: ['hasRequiredFields'] },
    delete: { from: PART_STATES, to: 'DELETED', by: ['ipOwner'], guards: ['isNotInTrade'] },
  },
})
