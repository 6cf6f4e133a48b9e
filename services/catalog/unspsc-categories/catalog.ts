import { UnspscCategory } from '../../../proto/http/catalog/unspsc-categories.ts'
import { defineCatalog } from '../catalog.ts'
import { unspscFile } from './file.ts'
import { unspscRows } from './rows.ts'

export const unspscCategories = defineCatalog({
  name: 'unspsc-categories',
  table: 'catalog.unspsc_categories',
  rows: unspscRows,
  item: UnspscCategory,
  key: 'id',
  orderBy: 'id',
  filters: ['level'],
  // The label equals the title of the entry's own level, so it is not searched separately.
  searched: [
    'segmentNumber',
    'segmentTitle',
    'familyNumber',
    'familyTitle',
    'classNumber',
    'classTitle',
    'commodityNumber',
    'commodityTitle',
  ],
  references: [],
  file: unspscFile,
})
