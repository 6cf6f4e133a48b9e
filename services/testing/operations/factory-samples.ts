import { MAX_FACTORIES } from '../../../proto/http/sourcing/factory-administration.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { internalFactory, publicFactory, recordKind } from '../records.ts'
import { makerOf, type OperationSample, unfit, withAnother } from './operation-sample.ts'

const FACTORY = { 'path.id': 'internalFactory' } as const

/** A distributor can release no internal factory, not even its own. */
const INTERNAL = unfit('internalFactory', 404, 'factory:release')

/** A public factory that is released to an organization that is engaged through the account's, or a distributor's. */
async function release(fixtures: Fixtures, account: Account) {
  const distributor = await makerOf('engagedOrganization', fixtures, account)
  const factoryId = await publicFactory(fixtures)
  const engagedOrgId = String(await recordKind('engagedOrganization').make(fixtures, distributor))
  await fixtures.market.db.owner`
    insert into sourcing.factory_releases (org_id, distributor_org_id, factory_id, name, released_at)
    values (${engagedOrgId}, ${distributor.orgId}, ${factoryId}, 'Factory', now())`
  return { 'path.id': factoryId, 'body.orgId': engagedOrgId }
}

/** The views that an account may use, in the order of the contract. */
const viewOf = ({ permissions }: Account) => (permissions.has('app:consumer') ? 'CONSUMER' : 'MANUFACTURER')

/** Factories and their releases. */
export const FACTORY_SAMPLES: Record<string, OperationSample> = {
  listFactories: {
    by: 'manufacturer',
    views: { CONSUMER: 'app:consumer', MANUFACTURER: 'app:manufacturer' },
    references: {
      'query.orgId': 'shared',
      'query.regionCode': 'shared',
      'query.partId': 'draftPart',
      'query.materialCode': 'shared',
      'query.standardCode': 'shared',
      'query.criticalityCode': 'shared',
    },
    values: (_, account) => ({ 'query.view': viewOf(account) }),
  },
  getFactory: { by: 'manufacturer', references: FACTORY },
  batchGetFactories: { by: 'manufacturer', references: { 'body.ids.0': 'internalFactory' } },
  createFactory: {
    // Another organization, because the sample uses up its limit of factories.
    by: 'otherOwner',
    references: { 'body.address': 'shared', 'body.capabilities': 'shared' },
    values: () => ({ 'body.name': crypto.randomUUID() }),
    conflict: async ({ market }, { orgId }, input) => {
      await market.db.owner`
        insert into sourcing.factories
          (id, org_id, org_name, org_manufactures, name, active, internal, region_code, locality, lines, created_at, updated_at)
        select 'factory_' || n, ${orgId}, 'Manufacturer', true, 'Factory', true, true, 'NO', 'Bergen', '{}', now(), now()
        from generate_series(1, ${MAX_FACTORIES}::int) n`
      return input
    },
  },
  patchFactory: { by: 'manufacturer', references: { ...FACTORY, 'body.address': 'shared' } },
  replaceFactoryCapabilities: { by: 'manufacturer', references: { ...FACTORY, 'body.capabilities': 'shared' } },
  activateFactory: {
    by: 'manufacturer',
    references: { 'path.id': unfit('internalFactory', 409, 'factory:manage') },
    values: async (fixtures, account) => {
      const id = await internalFactory(fixtures, account)
      await fixtures.market.db.owner`update sourcing.factories set active = false where id = ${id}`
      return { 'path.id': id }
    },
    conflict: withAnother('path.id', 'internalFactory'),
  },
  deactivateFactory: { by: 'manufacturer', references: FACTORY, conflict: 'race' },
  listFactoryReleases: { by: 'distributor', references: { 'query.orgId': 'shared' } },
  releaseFactory: {
    by: 'distributor',
    references: { 'path.id': INTERNAL, 'body.orgId': 'engagedOrganization' },
    values: async (fixtures) => ({ 'path.id': await publicFactory(fixtures) }),
    conflict: 'race',
  },
  withdrawFactory: {
    by: 'distributor',
    references: { 'path.id': INTERNAL, 'body.orgId': unfit('engagedOrganization', 409, 'factory:release') },
    values: release,
    conflict: 'race',
  },
}
