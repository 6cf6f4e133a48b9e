import { Category } from '../../../proto/http/catalog/categories.ts'
import { defineCatalog } from '../catalog.ts'
import { key, line, optional } from '../files/cells.ts'
import { entryPerRecord } from '../files/format.ts'
import { rowPerItem } from '../memory/rows.ts'

export const categories = defineCatalog({
  name: 'categories',
  table: 'catalog.categories',
  rows: rowPerItem('catalog.category_lookup', Category),
  item: Category,
  key: 'id',
  orderBy: 'code',
  filters: ['parentId'],
  searched: ['name', 'description'],
  references: [{ column: 'parent_id', to: 'categories' }],
  file: entryPerRecord({
    id: key,
    code: optional(line(64)),
    name: line(200),
    description: optional(line(2000)),
    parent_id: optional(key),
  }),
})
