/** These catalogs have new content: every replica that serves them loads them again. */
export interface CatalogReloaded {
  type: 'catalog.reloaded'
  data: { catalogs: string[] }
}
