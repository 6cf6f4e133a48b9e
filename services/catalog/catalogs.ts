import { Category } from '../../proto/http/catalog/categories.ts'
import { Criticality } from '../../proto/http/catalog/criticalities.ts'
import { MATERIAL_TYPES, PROCESS_FAMILIES, PRODUCTION_PROCESS_TYPES } from '../../proto/http/catalog/enums.ts'
import { Material } from '../../proto/http/catalog/materials.ts'
import { Process } from '../../proto/http/catalog/processes.ts'
import { Standard } from '../../proto/http/catalog/standards.ts'
import { Technology } from '../../proto/http/catalog/technologies.ts'
import { UnspscCategory } from '../../proto/http/catalog/unspsc-categories.ts'
import { type Catalog, type CatalogName, defineCatalog } from './catalog.ts'
import { key, line, listOf, optional, ordinal, word } from './files/cells.ts'
import { entryPerRecord } from './files/format.ts'
import { rowPerItem } from './memory/rows.ts'
import { unspscFile } from './unspsc-categories/file.ts'
import { unspscRows } from './unspsc-categories/rows.ts'

/** All catalogs. */
export const CATALOGS = {
  technologies: defineCatalog({
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
  }),
  standards: defineCatalog({
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
  }),
  materials: defineCatalog({
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
  }),
  processes: defineCatalog({
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
  }),
  criticalities: defineCatalog({
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
  }),
  categories: defineCatalog({
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
  }),
  'unspsc-categories': defineCatalog({
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
  }),
} as const satisfies Record<CatalogName, Catalog>
