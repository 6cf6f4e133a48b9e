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
import type { Http } from '../kit/http/http.ts'
import { parentFilter } from './categories/rules.ts'
import type { CatalogStores } from './memory/registry.ts'

/** The list, one entry and a batch of each catalog. */
export const catalogRoutes = ({ http, stores }: { http: Http; stores: CatalogStores }) => {
  const { categories, criticalities, materials, processes, standards, technologies } = stores
  const unspsc = stores['unspsc-categories']
  return new Elysia({ name: 'catalog' })
    .use(
      http.route(listCategories, ({ query }) => {
        const filter = parentFilter(query)
        if ('errors' in filter) throw invalid(filter.errors)
        return categories.page(query, filter, query.search)
      }),
    )
    .use(http.route(getCategory, ({ params }) => categories.one(params.id)))
    .use(http.route(batchGetCategories, ({ body }) => categories.batch(body.ids)))
    .use(http.route(listCriticalities, ({ query: { governingBody } }) => criticalities.all({ governingBody })))
    .use(http.route(getCriticality, ({ params }) => criticalities.one(params.id)))
    .use(http.route(batchGetCriticalities, ({ body }) => criticalities.batch(body.ids)))
    .use(http.route(listMaterials, ({ query }) => materials.page(query, { type: query.type })))
    .use(http.route(getMaterial, ({ params }) => materials.one(params.code)))
    .use(http.route(batchGetMaterials, ({ body }) => materials.batch(body.codes)))
    .use(http.route(listProcesses, ({ query: { materialType } }) => processes.all({ materialType })))
    .use(http.route(getProcess, ({ params }) => processes.one(params.code)))
    .use(http.route(batchGetProcesses, ({ body }) => processes.batch(body.codes)))
    .use(
      http.route(listStandards, ({ query: { governingBody, materialType } }) =>
        standards.all({ governingBody, materialType }),
      ),
    )
    .use(http.route(getStandard, ({ params }) => standards.one(params.code)))
    .use(http.route(batchGetStandards, ({ body }) => standards.batch(body.codes)))
    .use(
      http.route(listTechnologies, ({ query }) => {
        const { productionProcessType, search } = query
        return technologies.page(query, { productionProcessType }, search)
      }),
    )
    .use(http.route(getTechnology, ({ params }) => technologies.one(params.id)))
    .use(http.route(batchGetTechnologies, ({ body }) => technologies.batch(body.ids)))
    .use(http.route(listUnspscCategories, ({ query }) => unspsc.page(query, { level: query.level }, query.search)))
    .use(http.route(getUnspscCategory, ({ params }) => unspsc.one(params.id)))
    .use(http.route(batchGetUnspscCategories, ({ body }) => unspsc.batch(body.ids)))
}
