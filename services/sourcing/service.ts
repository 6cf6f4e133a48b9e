import { AddressGuard } from '../kit/addresses/guard.ts'
import { createSecretBox } from '../kit/secrets/box.ts'
import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { every } from '../kit/worker/worker.ts'
import { assignmentRoutes } from './assignments/routes.ts'
import { awardRoutes } from './awards/routes.ts'
import { caseRoutes } from './cases/routes.ts'
import { comparisonRoutes } from './comparison/routes.ts'
import type { SourcingConfig } from './config.ts'
import { organizationWorker } from './factories/organizations.ts'
import { factoryRoutes } from './factories/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { ensurePartitions } from './history/queries.ts'
import { importRoutes } from './imports/routes.ts'
import { maxImportsFor } from './jobs/rules.ts'
import { FileWorker } from './jobs/worker.ts'
import { matchRoutes } from './matches/routes.ts'
import { cleanUpObjects } from './objects/cleanup.ts'
import { offerRoutes } from './offers/routes.ts'
import { offerExpiryWorker } from './offers/workers.ts'
import { orderRoutes } from './orders/routes.ts'
import { partRoutes } from './parts/routes.ts'
import { rfqRoutes } from './rfqs/routes.ts'
import { titleWorkers } from './rfqs/titles.ts'
import { rfqExpiryWorker } from './rfqs/workers.ts'
import { createStorage } from './storage/create.ts'
import { FolderStorage } from './storage/folder/store.ts'
import { storageWatch } from './storage/watch.ts'
import { technologyWorkers } from './technologies/refresh.ts'
import { cleanUpUploads } from './uploads/cleanup.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { Transfers } from './uploads/transfer.ts'

const PARTITIONS_INTERVAL_MS = 60 * 60 * 1000

/** Parts and their files, factories, RFQs, offers, orders, assignments and cases. */
export async function createSourcing(config: SourcingConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('sourcing', config, options)
  const { http, bus, pagination } = kit
  const storage = createStorage(config, kit)
  const folder = storage instanceof FolderStorage ? storage : undefined
  const guard = new AddressGuard({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES })
  const box = await createSecretBox(config.ENCRYPTION_KEYS)
  const deps = {
    sql: kit.sql,
    reads: kit.reads,
    tenantReads: kit.tenantReads,
    clock: kit.clock,
    now: kit.now,
    storage,
    folder,
    guard,
    box,
    publicUrl: config.PUBLIC_URL,
  }
  const quota = { maxStoredBytes: config.STORED_BYTES_MAX, maxPendingFiles: config.FILES_PENDING_MAX }
  const importLimits = {
    maxImports: maxImportsFor(storage.driver, config.IMPORTS_AT_ONCE),
    graceMs: config.IMPORT_GRACE_SECONDS * 1000,
  }
  const worker = new FileWorker({ ...deps, quota, importLimits, log: kit.log })
  const transfers = new Transfers(deps.sql, folder)
  for (const { permits } of [transfers, worker]) kit.observeConcurrency(permits)
  return assemble('sourcing', kit, {
    features: [
      partRoutes({ http, pagination, ...deps }),
      factoryRoutes({ http, pagination, ...deps }),
      rfqRoutes({ http, pagination, ...deps, log: kit.log }),
      matchRoutes({ http, pagination, ...deps }),
      offerRoutes({ http, pagination, ...deps }),
      awardRoutes({ http, ...deps }),
      comparisonRoutes({ http, ...deps }),
      orderRoutes({ http, pagination, ...deps }),
      assignmentRoutes({ http, pagination, ...deps }),
      caseRoutes({ http, pagination, ...deps }),
      uploadRoutes({
        http,
        ...deps,
        quota: { maxOpenUploads: config.UPLOADS_OPEN_MAX },
        transfers,
      }),
      fileRoutes({ http, ...deps, quota, onPending: worker.wake }),
      importRoutes({ http, ...deps, quota, onPending: worker.wake }),
    ],
    workers: [
      ...technologyWorkers({ bus, sql: kit.sql, log: kit.log }),
      organizationWorker({ bus }),
      rfqExpiryWorker({ ...deps, log: kit.log }),
      ...titleWorkers({ bus, sql: kit.sql, log: kit.log }),
      offerExpiryWorker({ ...deps, log: kit.log }),
      worker,
      storageWatch({ storage, registry: kit.registry, log: kit.log }),
      every('history-partitions', PARTITIONS_INTERVAL_MS, kit.log, () => ensurePartitions(deps.sql)),
    ],
    cleanup: [
      (now, signal) => cleanUpUploads(deps.sql, now, signal),
      (now, signal) => cleanUpObjects({ ...deps, log: kit.log }, now, signal),
    ],
  })
}
