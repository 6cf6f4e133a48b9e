import type { Pool } from '../../kit/db/client.ts'
import type { Catalog, CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { MAX_LISTED, type Problems } from './problems.ts'
import { listDanglingReferences, listUnreachableCategories } from './queries.ts'

/** The version of each catalog after the import, and the imported ones. */
interface PlannedVersions {
  versions: ReadonlyMap<CatalogName, string>
  staged: ReadonlySet<CatalogName>
}

/** Collects dangling references in imported and existing catalogs. */
export async function checkReferences(sql: Pool, planned: PlannedVersions, problems: Problems): Promise<void> {
  const versionOf = (name: CatalogName) => planned.versions.get(name) ?? '0'
  for (const catalog of Object.values<Catalog>(CATALOGS)) {
    for (const { column, to } of catalog.references) {
      if (!planned.staged.has(catalog.name) && !planned.staged.has(to)) continue
      const from = { catalog, version: versionOf(catalog.name), column }
      const dangling = await listDanglingReferences(
        sql,
        from,
        { catalog: CATALOGS[to], version: versionOf(to) },
        MAX_LISTED,
      )
      const found = dangling.map(({ line, key, target }) =>
        planned.staged.has(catalog.name)
          ? { catalog: catalog.name, line, reason: `${column} names "${target}", which is not in ${to}` }
          : { catalog: to, reason: `"${target}" is missing, but "${key}" of ${catalog.name} refers to it` },
      )
      problems.addSome(found, dangling[0]?.total ?? 0)
    }
  }
  // A missing parent is already reported, and its descendants would be reported again here.
  if (planned.staged.has('categories') && problems.count === 0) await checkTree(sql, versionOf('categories'), problems)
}

async function checkTree(sql: Pool, version: string, problems: Problems): Promise<void> {
  const unreachable = await listUnreachableCategories(sql, version, MAX_LISTED)
  const found = unreachable.map(({ line, key }) => ({
    catalog: 'categories' as const,
    line,
    reason: `"${key}" is part of a cycle of parents, or below one`,
  }))
  problems.addSome(found, unreachable[0]?.total ?? 0)
}
