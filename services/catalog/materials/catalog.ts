import { MATERIAL_TYPES } from '../../../proto/http/catalog/enums.ts'
import { Material } from '../../../proto/http/catalog/materials.ts'
import { defineCatalog } from '../catalog.ts'
import { key, line, listOf, word } from '../files/cells.ts'
import { entryPerRecord } from '../files/format.ts'
import { rowPerItem } from '../memory/rows.ts'

export const materials = defineCatalog({
  name: 'materials',
  table: 'catalog.materials',
  rows: rowPerItem('catalog.material_lookup', Material),
  item: Material,
  key: 'code',
  orderBy: 'code',
  filters: ['type'],
  searched: [],
  references: [{ column: 'standard_codes', to: 'standards' }],
  file: entryPerRecord({
    code: key,
    name: line(200),
    type: word(MATERIAL_TYPES),
    standard_codes: listOf(key),
  }),
})
