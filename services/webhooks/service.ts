import { AddressGuard } from '../kit/addresses/guard.ts'
import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { every } from '../kit/worker/worker.ts'
import type { WebhooksConfig } from './config.ts'
import { cleanUpDeliveries, failAbandonedDeliveries, maintainPartitions } from './deliveries/cleanup.ts'
import { Dispatcher } from './deliveries/dispatcher.ts'
import { ingestWorker } from './deliveries/ingest.ts'
import { deliveryMetrics } from './deliveries/metrics.ts'
import { endDeliveries } from './deliveries/queries.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { slotsOf } from './deliveries/slots.ts'
import { endpointRoutes } from './endpoints/routes.ts'
import { cancelReplay, replayJob, resumeReplay } from './replays/job.ts'
import { replayRoutes } from './replays/routes.ts'
import { testEventRoutes } from './test-events/routes.ts'

const PARTITIONS_INTERVAL_MS = 60 * 60 * 1000

/** Webhook endpoints and deliveries. */
export async function createWebhooks(config: WebhooksConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('webhooks', config, { ...options, sharedDatabaseUrl: config.SHARED_DATABASE_URL })
  const { http, sql, clock, box, bus, log } = kit
  const observe = deliveryMetrics(kit.registry, sql, kit.bus.isLeader)
  const guard = new AddressGuard({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES })
  const slots = slotsOf(config.BUN_CONFIG_MAX_HTTP_REQUESTS)
  return assemble('webhooks', kit, {
    features: [
      endpointRoutes({ http, box, guard, followers: { resumeReplay, cancelReplay, endDeliveries } }),
      replayRoutes({ http }),
      testEventRoutes({ http }),
      deliveryRoutes(kit),
    ],
    workers: [
      ingestWorker({ bus, clock }),
      new Dispatcher({ ...kit, guard, observe, slots }),
      kit.jobs('replays', [replayJob(kit)]),
      every('webhook-partitions', PARTITIONS_INTERVAL_MS, log, () => maintainPartitions(sql)),
    ],
    cleanup: [
      (now, signal) => cleanUpDeliveries(sql, now, signal),
      (now, signal) => failAbandonedDeliveries(sql, now, signal),
    ],
  })
}
