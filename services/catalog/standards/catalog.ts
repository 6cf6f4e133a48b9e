import { MATERIAL_TYPES } from '../../../proto/http/catalog/enums.ts'
import { Standard } from '../../../proto/http/catalog/standards.ts'
import { defineCatalog } from '../catalog.ts'
import { key, line, optional, word } from '../files/cells.ts'
import { entryPerRecord } from '../files/format.ts'
import { rowPerItem } from '../memory/rows.ts'

export const standards = defineCatalog({
  name: 'standards',
  table: 'catalog.standards',
  rows: rowPerItem('catalog.standard_lookup', Standard),
  item: Standard,
  key: 'code',
  orderBy: 'code',
  filters: ['governingBody', 'materialType'],
  searched: [],
  references: [],
  file: entryPerRecord({
    code: key,
    title: line(500),
    governing_body: line(100),
    material_type: optional(word(MATERIAL_TYPES)),
    edition: optional(line(100)),
  }),
})
