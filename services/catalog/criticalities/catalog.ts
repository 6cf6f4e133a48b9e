import { Criticality } from '../../../proto/http/catalog/criticalities.ts'
import { defineCatalog } from '../catalog.ts'
import { key, line, ordinal } from '../files/cells.ts'
import { entryPerRecord } from '../files/format.ts'
import { rowPerItem } from '../memory/rows.ts'

export const criticalities = defineCatalog({
  name: 'criticalities',
  table: 'catalog.criticalities',
  rows: rowPerItem('catalog.criticality_lookup', Criticality),
  item: Criticality,
  key: 'id',
  alsoUnique: 'code',
  orderBy: 'code',
  filters: ['governingBody'],
  searched: [],
  references: [],
  file: entryPerRecord({
    id: key,
    code: key,
    name: line(200),
    governing_body: line(100),
    rank: ordinal,
  }),
})
