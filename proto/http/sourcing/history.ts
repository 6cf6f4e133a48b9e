import { Type } from '@sinclair/typebox'
import { closed, DateTime, OneOf } from '../shapes.ts'

const value = (description: string, example: string) =>
  Type.Optional(Type.Unknown({ description, examples: [example] }))

/** One change of a record, as it was captured; entries are never rewritten, and name nobody. */
export const HistoryEntry = closed({
  id: Type.String({ description: 'Id of the entry.', examples: ['history_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  kind: OneOf(['CREATE', 'UPDATE', 'DELETE', 'BACKFILL'], {
    description: 'BACKFILL stands where a creation would, for a record that is older than the capture of changes.',
    examples: ['UPDATE'],
  }),
  timestamp: DateTime('When the change was made.'),
  changes: Type.Array(
    closed({
      field: Type.String({
        description: 'Public name of the field; `files.<id>.name` and the like for a file.',
        examples: ['title'],
      }),
      before: value('Its JSON value before; absent where it had none.', 'Impeller'),
      after: value('Its JSON value afterwards; absent where it has none.', 'Impeller, cooling water pump'),
    }),
    { description: 'What changed: a list or an object is one change.' },
  ),
})
