import { assemble, createKit, type KitOptions, type Service } from '../kit/service/service.ts'
import { every } from '../kit/service/worker.ts'
import { dropPartitions, ensurePartitions } from './audit-log/queries.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import type { OrganizationConfig } from './config.ts'

const PARTITION_CARE_MS = 60 * 60 * 1000

/** Organizations, users, roles and the audit log. */
export async function createOrganizationService(config: OrganizationConfig, options?: KitOptions): Promise<Service> {
  const kit = await createKit('organization', config, options)
  const keepMonths = config.AUDIT_RETENTION_MONTHS
  return assemble('organization', kit, {
    features: [auditLogRoutes({ http: kit.http, sql: kit.sql })],
    workers: [
      every('audit-partitions', PARTITION_CARE_MS, kit.log, async () => {
        await ensurePartitions(kit.sql)
        if (keepMonths !== undefined) await dropPartitions(kit.sql, keepMonths)
      }),
    ],
  })
}
