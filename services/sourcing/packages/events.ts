import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'

/** The event of a package itself. Each of its RFQs has events of its own. */
export const emitPackageEvent = (
  tx: Tx,
  name: 'created' | 'updated' | 'deleted',
  { id, consumerOrgId }: { id: string; consumerOrgId: string },
) =>
  emit(tx, {
    type: `sourcing.rfqPackage.${name}`,
    tenantId: consumerOrgId,
    subject: id,
    data: { packageId: id, consumerOrgId },
  })
