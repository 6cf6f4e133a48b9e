import type { Catalog, CatalogName } from './catalog.ts'
import { categories } from './categories/catalog.ts'
import { criticalities } from './criticalities/catalog.ts'
import { materials } from './materials/catalog.ts'
import { processes } from './processes/catalog.ts'
import { standards } from './standards/catalog.ts'
import { technologies } from './technologies/catalog.ts'
import { unspscCategories } from './unspsc-categories/catalog.ts'

/** All catalogs. */
export const CATALOGS = {
  technologies,
  standards,
  materials,
  processes,
  criticalities,
  categories,
  'unspsc-categories': unspscCategories,
} as const satisfies Record<CatalogName, Catalog>
