import { StateTable } from './state-table.ts'

export const PART_STATES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const
export type PartState = (typeof PART_STATES)[number]

/** `hasRequiredFields`: a part that is or was published has a title, and a material or a material type. */
export const PART = new StateTable({
  record: 'part',
  states: PART_STATES,
  initial: 'DRAFT',
  verbs: {
    patch: { from: PART_STATES, by: ['ipOwner'] },
    publish: { from: ['DRAFT'], to: 'PUBLISHED', by: ['ipOwner'], guards: ['hasRequiredFields'] },
    archive: { from: ['PUBLISHED'], to: 'ARCHIVED', by: ['ipOwner'] },
    unarchive: { from: ['ARCHIVED'], to: 'PUBLISHED', by: ['ipOwner'], guards: ['hasRequiredFields'] },
    delete: { from: PART_STATES, to: 'DELETED', by: ['ipOwner'] },
  },
})
