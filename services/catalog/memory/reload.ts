import type { CatalogReloaded } from '../../../proto/events/catalog.ts'
import type { Bus } from '../../kit/bus/bus.ts'
import type { Log } from '../../kit/log/log.ts'
import { every, type Worker } from '../../kit/worker/worker.ts'
import { CATALOG_NAMES } from '../catalog.ts'
import type { CatalogRegistry } from './registry.ts'

const RETRY_INTERVAL_MS = 1000

/** Hears of imports, and loads everything once the bus hears and whenever it may have missed one. Answers when all is loaded. */
export async function followReloads(bus: Bus, registry: CatalogRegistry): Promise<void> {
  const reloaded: CatalogReloaded['type'] = 'catalog.reloaded'
  await bus.follow({
    subjects: [reloaded],
    onEvent: ({ data }) => {
      const { catalogs } = data as CatalogReloaded['data']
      // What cannot be loaded now stays marked, and the worker below tries again.
      registry.load(CATALOG_NAMES.filter((name) => catalogs.includes(name))).catch(() => {})
    },
    onGap: () => registry.load(CATALOG_NAMES),
  })
}

/** Loads what could not be loaded when it was announced; does nothing otherwise. */
export const retryLoads = (registry: CatalogRegistry, log: Log): Worker =>
  every('catalog-loads', RETRY_INTERVAL_MS, log, () => registry.load())
