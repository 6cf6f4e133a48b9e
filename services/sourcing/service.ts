import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { every } from '../kit/service/worker.ts'
import { createStorage } from '../kit/storage/create.ts'
import { FolderStorage } from '../kit/storage/folder/store.ts'
import type { SourcingConfig } from './config.ts'
import { fileRoutes } from './files/routes.ts'
import { ensurePartitions } from './history/queries.ts'
import { sweepObjects } from './objects/sweep.ts'

import { followProcesses } from './parts/consumer.ts'
import { partRoutes } from './parts/routes.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { sweepUploads } from './uploads/sweep.ts'
import { Transfers } from './uploads/transfer.ts'

const PARTITION_CARE_MS = 60 * 60 * 1000

/** Parts, and what becomes of them: RFQs, offers, orders, factories. */
export async function createSourcing(config: SourcingConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('sourcing', config, options)
  const { http, bus } = kit
  const storage = createStorage(config, kit)
  const folder = storage instanceof FolderStorage ? storage : undefined
  const deps = { sql: kit.sql, clock: kit.clock, storage, folder, publicUrl: config.PUBLIC_URL }
  const now = () => new Date(kit.clock())
  return assemble('sourcing', kit, {
    features: [
      partRoutes({ http, ...deps }),
      uploadRoutes({
        http,
        ...deps,
        quota: { maxOpenUploads: config.UPLOADS_OPEN_MAX },
        transfers: new Transfers(deps.sql, folder),
      }),
      fileRoutes({ http, ...deps, quota: { maxStoredBytes: config.STORED_BYTES_MAX }, onPending: () => {} }),
    ],
    workers: [
      followProcesses(bus),
      every('history-partitions', PARTITION_CARE_MS, kit.log, () => ensurePartitions(deps.sql)),
    ],
    sweeps: [() => sweepUploads(deps.sql, now()), () => sweepObjects(deps, now())],
  })
}
