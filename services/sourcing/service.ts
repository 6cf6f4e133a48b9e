import type { Order } from '../../proto/http/sourcing/orders.ts'
import { AddressGuard } from '../kit/addresses/guard.ts'
import type { Tx } from '../kit/db/client.ts'
import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { every } from '../kit/worker/worker.ts'
import { unknownPage } from '../site/pages/unknown-page.ts'
import { openAssignments, updateAssignments } from './assignments/order-steps.ts'
import { assignmentRoutes } from './assignments/routes.ts'
import { returnAward } from './awards/returns.ts'
import { awardRoutes } from './awards/routes.ts'
import { closeEndedCases } from './cases/ends.ts'
import { openQualityCase } from './cases/order-cases.ts'
import { openCases, updateCases } from './cases/rfq-cases.ts'
import { caseRoutes } from './cases/routes.ts'
import { endChangeRequests } from './change-requests/queries.ts'
import { changeRequestRoutes } from './change-requests/routes.ts'
import { unansweredCancellationWorker } from './change-requests/workers.ts'
import { comparisonRoutes } from './comparison/routes.ts'
import { insertReleases } from './confidentiality/queries.ts'
import { confidentialityRoutes } from './confidentiality/routes.ts'
import type { SourcingConfig } from './config.ts'
import { departureConsumer, departureJob, FORMER_CONSUMERS } from './departures/departures.ts'
import { distributorRoutes } from './distributor/routes.ts'
import { prepareRfqFiles } from './documents/amendment.ts'
import { copyDocuments } from './documents/copies.ts'
import { lockRecord } from './documents/readers.ts'
import { documentRoutes } from './documents/routes.ts'
import { rfqFileProblems } from './documents/rules.ts'
import { cleanUpEmailInvitations, inviteByEmail } from './email-invitations/commands.ts'
import { emailInvitationRoutes } from './email-invitations/routes.ts'
import { organizationWorker } from './factories/organizations.ts'
import { factoryRoutes } from './factories/routes.ts'
import { importRoutes } from './files/imports/routes.ts'
import { fileJobs } from './files/jobs/kinds.ts'
import { maxImportsFor } from './files/jobs/rules.ts'
import { cleanUpObjects } from './files/objects/cleanup.ts'
import { fileRoutes } from './files/routes.ts'
import { createStorage } from './files/storage/create.ts'
import { FolderStorage } from './files/storage/folder/store.ts'
import { storageWatch } from './files/storage/watch.ts'
import { cleanUpUploads } from './files/uploads/cleanup.ts'
import { uploadRoutes } from './files/uploads/routes.ts'
import { Transfers } from './files/uploads/transfer.ts'
import { ensurePartitions } from './history/queries.ts'
import { inboxRoutes } from './inbox/routes.ts'
import { matchRoutes } from './matches/routes.ts'
import { rejectOffers } from './offers/cancellation.ts'
import { offerRoutes } from './offers/routes.ts'
import { offerExpiryWorker } from './offers/workers.ts'
import { orderRoutes } from './orders/routes.ts'
import { packageRoutes } from './packages/routes.ts'
import { partImportRoutes } from './part-imports/routes.ts'
import { partRoutes } from './parts/routes.ts'
import { removeLeftovers, renderJob } from './previews/job.ts'
import { previewRoutes } from './previews/routes.ts'
import { picturesOf } from './previews/visibility.ts'
import { printedDocumentRoutes } from './printed-documents/routes.ts'
import { endQuestions } from './questions/commands.ts'
import { questionRoutes } from './questions/routes.ts'
import { PreviewUrls } from './renderings/urls.ts'
import { cleanUpRevisions } from './revisions/cleanup.ts'
import { revisionRoutes } from './revisions/routes.ts'
import type { RfqFollowers } from './rfqs/followers.ts'
import { partChangeConsumer, partChangeJob } from './rfqs/part-changes.ts'
import { rfqRoutes } from './rfqs/routes.ts'
import { rfqExpiryWorker } from './rfqs/workers.ts'
import { salesAgreementRoutes } from './sales-agreements/routes.ts'
import { shipmentRoutes } from './shipments/routes.ts'
import { endSubscriptions } from './subscriptions/commands.ts'
import { subscriptionRoutes } from './subscriptions/routes.ts'
import { subscriptionExpiryWorker } from './subscriptions/workers.ts'
import { supplierRoutes } from './suppliers/routes.ts'
import { technologyConsumer, technologyJob } from './technologies/refresh.ts'

const PARTITIONS_INTERVAL_MS = 60 * 60 * 1000
const LEFTOVERS_INTERVAL_MS = 10 * 60 * 1000

/** Parts and their files, factories, RFQs, offers, orders, assignments and cases. */
export async function createSourcing(config: SourcingConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('sourcing', config, { ...options, unknownPage })
  const { http, bus, pagination } = kit
  const storage = createStorage(config, { config, clock: kit.clock })
  const folder = storage instanceof FolderStorage ? storage : undefined
  const quota = { maxStoredBytes: config.STORED_BYTES_MAX, maxPendingFiles: config.FILES_PENDING_MAX }
  const guard = new AddressGuard({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES })
  const rfqFollowers: RfqFollowers = {
    inviteByEmail: inviteByEmail(config.MAIL_FROM !== undefined),
    openCases,
    updateCases,
    rejectOffers,
    endQuestions,
    releaseFiles: insertReleases,
    copyDocuments,
    findRfqFileProblems: rfqFileProblems,
    prepareRfqFiles: prepareRfqFiles({ sql: kit.sql, storage, quota }),
  }
  const urls = new PreviewUrls(config)
  const deps = {
    sql: kit.sql,
    clock: kit.clock,
    now: kit.now,
    storage,
    folder,
    guard,
    box: kit.box,
    publicUrl: config.PUBLIC_URL,
    urls,
    pictures: picturesOf(urls),
    followers: {
      ...rfqFollowers,
      endSubscriptions,
      openAssignments,
      updateAssignments,
      openQualityCase,
      endChanges: endChangeRequests,
      returnAward: (tx: Tx, order: Order, now: string) => returnAward({ followers: rfqFollowers }, tx, order, now),
    },
  }
  const maxImports = maxImportsFor(storage.driver, config.IMPORTS_AT_ONCE)
  const worker = kit.jobs(
    'file jobs',
    fileJobs({
      ...deps,
      quota,
      maxImports,
      log: kit.log,
      lockRecord: (tx, record) => lockRecord(deps, tx, record),
    }),
  )
  const transfers = new Transfers(deps.sql, folder)
  kit.observeConcurrency(transfers.permits)
  const watch = storageWatch({ storage, registry: kit.registry, log: kit.log })
  return assemble('sourcing', kit, {
    features: [
      partRoutes({ http, pagination, ...deps }),
      partImportRoutes({ http, sql: kit.sql, observeConcurrency: kit.observeConcurrency }),
      revisionRoutes({ http, pagination }),
      subscriptionRoutes({ http, pagination }),
      factoryRoutes({ http, pagination }),
      rfqRoutes({ http, pagination, ...deps, log: kit.log, onPending: worker.wake }),
      emailInvitationRoutes({ http, pagination, ...deps }),
      confidentialityRoutes({ http, pagination, ...deps }),
      questionRoutes({ http, pagination, ...deps }),
      matchRoutes({ http, pagination, ...deps }),
      offerRoutes({ http, pagination, ...deps }),
      awardRoutes({ http, ...deps }),
      comparisonRoutes({ http }),
      packageRoutes({ http, pagination, ...deps }),
      orderRoutes({ http, pagination, ...deps }),
      changeRequestRoutes({ http, pagination, ...deps }),
      salesAgreementRoutes({ http, pagination }),
      distributorRoutes({ http, pagination }),
      shipmentRoutes({ http, pagination, ...deps }),
      printedDocumentRoutes({ http, observeConcurrency: kit.observeConcurrency }),
      supplierRoutes({ http, pagination }),
      assignmentRoutes({ http, pagination }),
      caseRoutes({ http, pagination }),
      inboxRoutes({ http, pagination }),
      uploadRoutes({
        http,
        ...deps,
        quota: { maxOpenUploads: config.UPLOADS_OPEN_MAX },
        transfers,
      }),
      fileRoutes({ http, ...deps, quota, onPending: worker.wake }),
      importRoutes({ http, ...deps, quota, onPending: worker.wake }),
      documentRoutes({ http, pagination, ...deps, quota, onPending: worker.wake }),
      previewRoutes({ http, ...deps }),
    ],
    workers: [
      technologyConsumer({ bus, now: kit.now }),
      organizationWorker({ bus }),
      departureConsumer({ bus, now: kit.now }),
      ...FORMER_CONSUMERS.map((name) => bus.forget(name)),
      rfqExpiryWorker({ ...deps, log: kit.log }),
      partChangeConsumer({ bus, now: kit.now }),
      kit.jobs('refreshes', [technologyJob(kit.sql), partChangeJob(deps), departureJob(kit.sql)]),
      subscriptionExpiryWorker({ ...deps, log: kit.log }),
      unansweredCancellationWorker({ ...deps, log: kit.log }),
      offerExpiryWorker({ ...deps, log: kit.log }),
      worker,
      ...(config.PREVIEWS
        ? [
            every('preview-leftovers', LEFTOVERS_INTERVAL_MS, kit.log, removeLeftovers),
            kit.jobs('previews', [
              renderJob({ ...deps, quota, log: kit.log, maxMemoryBytes: config.PREVIEW_MEMORY_MAX }),
            ]),
          ]
        : []),
      watch.worker,
      every('history-partitions', PARTITIONS_INTERVAL_MS, kit.log, () => ensurePartitions(deps.sql)),
    ],
    dependencies: [{ name: 'its file store', check: watch.check }],
    cleanup: [
      (now, signal) => closeEndedCases({ ...deps, log: kit.log }, now, signal),
      (now, signal) => cleanUpEmailInvitations(deps.sql, now, signal),
      (now, signal) => cleanUpUploads(deps.sql, now, signal),
      (now, signal) => cleanUpRevisions(deps.sql, { orderDays: config.REVISION_RETENTION_DAYS, now }, signal),
      (now, signal) => cleanUpObjects({ ...deps, log: kit.log }, now, signal),
    ],
  })
}
