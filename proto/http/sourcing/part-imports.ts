import { type Static, type TString, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Int32, OneOf } from '../shapes.ts'
import { content } from './part-fields.ts'

const partImportsTag = defineTag(
  'Part imports',
  'Creating and changing many parts from a table, and your parts as a table.',
)

const { externalRef, boundingBox, ...others } = content

/** The columns of an import: the text fields of a part. `externalRef` names the part. */
export const PART_COLUMNS = ['externalRef', ...Object.keys(others)] as readonly PartColumn[]
export type PartColumn = Exclude<keyof typeof content, 'boundingBox'>

export const MAX_IMPORTED_PARTS = 1000

const row = Int32('Number of the row, as a spreadsheet counts: the header is row 1.', 2, { minimum: 2 })

/** The texts of a row, which need not be valid. */
const cells = Object.fromEntries(
  PART_COLUMNS.map((name) => {
    const { description = '', examples } = content[name]
    return [name, Type.String({ description, examples: examples as string[] })]
  }),
) as Record<PartColumn, TString>

const count = (description: string, example: number) => Int32(description, example, { minimum: 0 })

export const PartImport = closed({
  created: count('Rows that create a part.', 1),
  updated: count('Rows that change a part.', 0),
  unchanged: count('Rows that equal their part.', 0),
  rows: Type.Array(
    closed({
      row,
      action: OneOf(['CREATE', 'UPDATE', 'NONE', 'REFUSE'], {
        description: 'What the row does: REFUSE is for one with problems, NONE for one that equals its part.',
        examples: ['CREATE'],
      }),
      partId: Type.Optional(
        Type.String({
          description: 'The part of the row. Absent in a dry run for one that would be created.',
          examples: ['part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
        }),
      ),
      cells: Type.Optional(
        Type.Partial(closed(cells), {
          description: 'In a dry run: the texts of the row as they were read, without surrounding white space.',
          examples: [{ externalRef: 'DRW-4711-B', title: 'Impeller, cooling water pump' }],
        }),
      ),
    }),
    { description: 'The rows of the table that have a value, in its order.' },
  ),
  problems: Type.Array(
    closed({
      row,
      field: Type.String({ description: 'Column of the problem.', examples: ['materialId'] }),
      message: Type.String({ description: 'What is wrong with the cell.', examples: ['there is no material `steel`'] }),
    }),
    { description: 'In a dry run: what is wrong, in the order of the rows. Otherwise empty.' },
  ),
  warnings: Type.Optional(
    Type.Array(
      closed({
        row,
        field: Type.String({ description: 'Column of the warning.', examples: ['title'] }),
        message: Type.String({
          description: 'What the part lacks.',
          examples: ['is missing, so the part cannot be published yet'],
        }),
      }),
      { description: 'In a dry run, where there are any: what does not prevent the import, in the order of the rows.' },
    ),
  ),
})
export type PartImport = Static<typeof PartImport>

export const importParts = defineOperation({
  id: 'importParts',
  method: 'POST',
  path: '/flows/v1/part-imports',
  tag: partImportsTag,
  summary: 'Import parts',
  description: `Each row of a CSV table changes your part with the same \`externalRef\`, or creates a DRAFT where there is none. All rows are stored, or none. The table has a header with the columns of the template in any order, of which only \`externalRef\` is required, and at most ${MAX_IMPORTED_PARTS} rows. Cells are separated by comma, semicolon or tab. An empty cell leaves the field as it is. \`materialId\` and \`processId\` are codes, or names of the catalog in upper or lower case. A problem names its row and column, such as \`rows.3.materialId\`; with \`dryRun\` the answer lists all problems and says what each row would do.`,
  access: 'part:create',
  query: Type.Object({
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Answers what would happen, and changes nothing.', examples: [true] }),
    ),
  }),
  body: closed({
    csv: Type.String({
      minLength: 1,
      description: 'The table as CSV with a header.',
      examples: ['externalRef,title,materialId\nDRW-4711-B,"Impeller, cooling water pump",316l\n'],
    }),
  }),
  csv: true,
  hasDryRun: true,
  response: PartImport,
  audit: { procedure: 'partImport.create', request: ['created', 'updated', 'unchanged'] },
})

export const getPartImportTemplate = defineOperation({
  id: 'getPartImportTemplate',
  method: 'GET',
  path: '/flows/v1/part-imports/template',
  tag: partImportsTag,
  summary: 'Get the template of an import',
  description: 'A CSV table that has only the header.',
  access: 'token',
  mediaType: 'text/csv',
  response: Type.String({ description: 'The header.' }),
  responseExample: `${PART_COLUMNS.join(',')}\r\n`,
})

export const exportParts = defineOperation({
  id: 'exportParts',
  method: 'GET',
  path: '/flows/v1/part-imports/export',
  tag: partImportsTag,
  summary: 'Export your parts',
  description:
    'The parts of your organization in any state, newest first, as a CSV table with the columns of an import. A cell that a spreadsheet would calculate begins with an apostrophe, which an import removes.',
  access: 'token',
  mediaType: 'text/csv',
  response: Type.String({ description: 'The table.' }),
  responseExample: 'externalRef,title\r\nDRW-4711-B,"Impeller, cooling water pump"\r\n',
})
