import { StateTable } from './state-table.ts'

export const FILE_STATES = ['PENDING', 'READY', 'FAILED'] as const
export type FileState = (typeof FILE_STATES)[number]

const transfer = {
  finish: { from: ['PENDING'], to: 'READY', by: ['marketplace'] },
  fail: { from: ['PENDING'], to: 'FAILED', by: ['marketplace'] },
} as const

/** A file of a part, or a document of another record. It is READY immediately if its bytes were read on upload. */
export const FILE = new StateTable({
  record: 'file',
  states: FILE_STATES,
  initial: 'PENDING',
  verbs: { ...transfer, remove: { from: FILE_STATES, to: 'DELETED', by: ['owner'] } },
})

/** The copy of a file from a signed URL, which has the state of its file. */
export const FILE_IMPORT = new StateTable({
  record: 'import',
  states: FILE_STATES,
  initial: 'PENDING',
  verbs: transfer,
})
