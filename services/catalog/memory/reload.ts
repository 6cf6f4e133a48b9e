import type { Bus } from '../../kit/bus/bus.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { CATALOG_NAMES } from '../catalog.ts'
import type { CatalogRegistry } from './registry.ts'

const RETRY_INTERVAL_MS = 1000

/** Reloads a catalog after each import, and all at the start and after each gap. Resolves when all are loaded. */
export async function subscribeToImports(bus: Bus, registry: CatalogRegistry): Promise<void> {
  await bus.subscribe({
    subjects: ['catalog.reloaded'],
    onEvent: ({ data }) => {
      const { catalogs } = data
      // A catalog that could not be loaded stays marked for the worker below.
      registry.load(CATALOG_NAMES.filter((name) => catalogs.includes(name))).catch(() => {})
    },
    onGap: () => registry.load(CATALOG_NAMES),
  })
}

/** A worker that retries failed loads. */
export const retryLoads = (registry: CatalogRegistry, log: Log): Worker =>
  every('catalog-loads', RETRY_INTERVAL_MS, log, () => registry.load())
