import { MATERIAL_TYPES } from '../../../proto/http/catalog/enums.ts'
import { Process } from '../../../proto/http/catalog/processes.ts'
import { defineCatalog } from '../catalog.ts'
import { key, line, listOf, word } from '../files/cells.ts'
import { entryPerRecord } from '../files/format.ts'
import { rowPerItem } from '../memory/rows.ts'

export const processes = defineCatalog({
  name: 'processes',
  table: 'catalog.processes',
  rows: rowPerItem('catalog.process_lookup', Process),
  item: Process,
  key: 'code',
  orderBy: 'code',
  filters: ['materialType'],
  searched: [],
  references: [{ column: 'technology_ids', to: 'technologies' }],
  file: entryPerRecord({
    code: key,
    name: line(200),
    material_type: word(MATERIAL_TYPES),
    technology_ids: listOf(key),
  }),
})
