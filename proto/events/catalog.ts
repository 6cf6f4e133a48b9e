/** The catalogs have new content, so every replica reloads them. */
export interface CatalogReloaded {
  type: 'catalog.reloaded'
  data: { catalogs: string[] }
}
