import { Type } from '@sinclair/typebox'
import { closed, DateTime, OneOf } from '../shapes.ts'

const value = (description: string, example: string) =>
  Type.Optional(Type.Unknown({ description, examples: [example] }))

/** One change of a record. Entries are never changed and have no actor. */
export const HistoryEntry = closed({
  id: Type.String({ description: 'Id of the entry.', examples: ['history_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  kind: OneOf(['CREATE', 'UPDATE', 'DELETE', 'BACKFILL'], {
    description: 'BACKFILL is the first entry of a record that is older than change tracking.',
    examples: ['UPDATE'],
  }),
  timestamp: DateTime('Time of the change.'),
  changes: Type.Array(
    closed({
      field: Type.String({
        description: 'Public name of the field; for a file, `files.<id>.name` and so on.',
        examples: ['title'],
      }),
      before: value('JSON value before the change; absent if there was none.', 'Impeller'),
      after: value('JSON value after the change; absent if there is none.', 'Impeller, cooling water pump'),
    }),
    { description: 'Changed fields; a list or an object is one change.' },
  ),
})
