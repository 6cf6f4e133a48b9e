import { Elysia } from 'elysia'
import { batchGetCategories, getCategory, listCategories } from '../../proto/http/catalog/categories.ts'
import { batchGetCriticalities, getCriticality, listCriticalities } from '../../proto/http/catalog/criticalities.ts'
import { batchGetMaterials, getMaterial, listMaterials } from '../../proto/http/catalog/materials.ts'
import { batchGetProcesses, getProcess, listProcesses } from '../../proto/http/catalog/processes.ts'
import { batchGetStandards, getStandard, listStandards } from '../../proto/http/catalog/standards.ts'
import { batchGetTechnologies, getTechnology, listTechnologies } from '../../proto/http/catalog/technologies.ts'
import {
  batchGetUnspscCategories,
  getUnspscCategory,
  listUnspscCategories,
} from '../../proto/http/catalog/unspsc-categories.ts'
import { invalid } from '../kit/errors/refusal.ts'
import { parentFilter } from './categories/rules.ts'
import type { CatalogDeps } from './memory/registry.ts'

/** Categories: the trees of equipment classes. */
export const categoryRoutes = ({ http, stores: { categories } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.categories' })
    .use(
      http.route(listCategories, ({ query }) => {
        const filter = parentFilter(query)
        if ('errors' in filter) throw invalid(filter.errors)
        return categories.page(query, filter, query.search)
      }),
    )
    .use(http.route(getCategory, ({ params }) => categories.one(params.id)))
    .use(http.route(batchGetCategories, ({ body }) => categories.batch(body.ids)))

/** Criticalities: the levels of the criticality schemes. */
export const criticalityRoutes = ({ http, stores: { criticalities } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.criticalities' })
    .use(http.route(listCriticalities, ({ query: { governingBody } }) => criticalities.all({ governingBody })))
    .use(http.route(getCriticality, ({ params }) => criticalities.one(params.id)))
    .use(http.route(batchGetCriticalities, ({ body }) => criticalities.batch(body.ids)))

/** Materials, by code. */
export const materialRoutes = ({ http, stores: { materials } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.materials' })
    .use(http.route(listMaterials, ({ query }) => materials.page(query, { type: query.type })))
    .use(http.route(getMaterial, ({ params }) => materials.one(params.code)))
    .use(http.route(batchGetMaterials, ({ body }) => materials.batch(body.codes)))

/** Manufacturing processes, by code. */
export const processRoutes = ({ http, stores: { processes } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.processes' })
    .use(http.route(listProcesses, ({ query: { materialType } }) => processes.all({ materialType })))
    .use(http.route(getProcess, ({ params }) => processes.one(params.code)))
    .use(http.route(batchGetProcesses, ({ body }) => processes.batch(body.codes)))

/** Standards, by code. */
export const standardRoutes = ({ http, stores: { standards } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.standards' })
    .use(
      http.route(listStandards, ({ query: { governingBody, materialType } }) =>
        standards.all({ governingBody, materialType }),
      ),
    )
    .use(http.route(getStandard, ({ params }) => standards.one(params.code)))
    .use(http.route(batchGetStandards, ({ body }) => standards.batch(body.codes)))

/** Production technologies, by id. */
export const technologyRoutes = ({ http, stores: { technologies } }: CatalogDeps) =>
  new Elysia({ name: 'catalog.technologies' })
    .use(
      http.route(listTechnologies, ({ query }) => {
        const { productionProcessType, search } = query
        return technologies.page(query, { productionProcessType }, search)
      }),
    )
    .use(http.route(getTechnology, ({ params }) => technologies.one(params.id)))
    .use(http.route(batchGetTechnologies, ({ body }) => technologies.batch(body.ids)))

/** Segments, families, classes and commodities of the UNSPSC. */
export const unspscCategoryRoutes = ({ http, stores }: CatalogDeps) => {
  const store = stores['unspsc-categories']
  return new Elysia({ name: 'catalog.unspsc-categories' })
    .use(http.route(listUnspscCategories, ({ query }) => store.page(query, { level: query.level }, query.search)))
    .use(http.route(getUnspscCategory, ({ params }) => store.one(params.id)))
    .use(http.route(batchGetUnspscCategories, ({ body }) => store.batch(body.ids)))
}
