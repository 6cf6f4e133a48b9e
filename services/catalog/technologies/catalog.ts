import { PROCESS_FAMILIES, PRODUCTION_PROCESS_TYPES } from '../../../proto/http/catalog/enums.ts'
import { Technology } from '../../../proto/http/catalog/technologies.ts'
import { defineCatalog } from '../catalog.ts'
import { key, line, listOf, optional, word } from '../files/cells.ts'
import { entryPerRecord } from '../files/format.ts'
import { rowPerItem } from '../memory/rows.ts'

export const technologies = defineCatalog({
  name: 'technologies',
  table: 'catalog.technologies',
  rows: rowPerItem('catalog.technology_lookup', Technology),
  item: Technology,
  key: 'id',
  orderBy: 'code',
  filters: ['productionProcessType'],
  searched: ['label', 'code', 'acronyms'],
  references: [],
  file: entryPerRecord({
    id: key,
    code: line(64),
    label: line(200),
    acronyms: listOf(line(64)),
    production_process_type: word(PRODUCTION_PROCESS_TYPES),
    process_family: optional(word(PROCESS_FAMILIES)),
  }),
})
