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
  // The label is the title of the entry's own level, so it needs no look of its own.
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
