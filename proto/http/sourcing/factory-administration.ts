import { type Static, Type } from '@sinclair/typebox'
import { FACTORY } from '../../states/factories.ts'
import { crudOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, Id, PageOf, pageQuery, Search } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { capabilitiesInput, Factory, FactoryAddress, factoryId, factoryName, internalFlag } from './factories.ts'

const tag = defineTag(
  'Factory administration',
  'Creation and change of factories by their manufacturer, and their release by distributors.',
)

/** Maximum number of factories of an organization. */
export const MAX_FACTORIES = 1000

export const FactoryInput = closed({
  name: factoryName,
  internal: Type.Optional(internalFlag),
  address: FactoryAddress,
  capabilities: Type.Optional(capabilitiesInput),
})
export type FactoryInput = Static<typeof FactoryInput>

export const FactoryPatch = Type.Partial(Type.Omit(FactoryInput, ['capabilities']))
export type FactoryPatch = Static<typeof FactoryPatch>

export const FactoryCapabilities = closed({ capabilities: capabilitiesInput })

export const FactoryReleaseInput = closed({
  orgId: Id('An organization that is engaged through yours.', 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
})

const crud = crudOf({
  name: 'factory',
  path: '/flows/v1/factories',
  tag,
  access: { read: 'token', write: 'factory:manage' },
  params: factoryId,
  input: FactoryInput,
  patch: FactoryPatch,
  response: Factory,
  idName: 'factoryId',
  logged: { create: ['name', 'internal', 'address', 'capabilities'], patch: ['name', 'internal', 'address'] },
})

export const createFactory = defineOperation({
  ...crud.create,
  summary: 'Create a factory',
  description: `Creates an active factory of your organization, which must be a manufacturer. At most ${MAX_FACTORIES} factories per organization.`,
  refusals: ['limit_reached'],
})

export const patchFactory = defineOperation({
  ...crud.patch,
  summary: 'Change a factory',
  description: 'Changes the fields that are sent. The address is replaced completely.',
  etag: true,
})

export const replaceFactoryCapabilities = defineOperation({
  id: 'replaceFactoryCapabilities',
  method: 'POST',
  path: '/flows/v1/factories/{id}/capabilities',
  tag,
  summary: "Replace a factory's capabilities",
  description: 'Replaces all capabilities of the factory.',
  access: 'factory:manage',
  params: factoryId,
  body: FactoryCapabilities,
  response: Factory,
  ifMatch: true,
  etag: true,
  audit: { procedure: 'factory.capabilities', request: ['id', 'capabilities'] },
})

const verb = verbsOf({
  name: 'factory',
  table: FACTORY,
  path: '/flows/v1/factories/{id}',
  tag,
  params: factoryId,
  response: Factory,
})

export const activateFactory = defineOperation({
  ...verb('activate', { note: 'Consumers find the factory again.' }),
  summary: 'Activate a factory',
  access: 'factory:manage',
})

export const deactivateFactory = defineOperation({
  ...verb('deactivate', {
    note: 'Consumers can no longer find the factory, and distributors cannot release it. Its organization and those of its orders can still read it. Its open offers cannot be awarded.',
  }),
  summary: 'Deactivate a factory',
  access: 'factory:manage',
})

/** Maximum number of organizations that the list names for a factory. */
export const MAX_RELEASES = 1000

export const FactoryRelease = closed(
  {
    factory: Factory,
    orgIds: Type.Array(
      Type.String({ description: 'Id of an organization.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
      {
        description: `Organizations engaged through yours to which the factory is released, at most ${MAX_RELEASES}.`,
        examples: [['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']],
      },
    ),
  },
  { description: 'A factory that your organization may release, and the organizations to which it has released it.' },
)

export const listFactoryReleases = defineOperation({
  id: 'listFactoryReleases',
  method: 'GET',
  path: '/flows/v1/factory-releases',
  tag,
  summary: 'List the factories that a distributor may release',
  description:
    'Ordered by name: every active factory that is not internal, with the organizations to which yours has released it.',
  access: 'factory:release',
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Search('Case-insensitive substring of the name of the factory or of its organization.', 'additive'),
    ),
    orgId: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Only factories that are released to this organization, which is engaged through yours.',
        examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
  }),
  response: PageOf(FactoryRelease),
})

const release = <const V extends 'release' | 'withdraw'>(verb: V, summary: string, description: string) =>
  defineOperation({
    id: `${verb}Factory`,
    method: 'POST',
    path: `/flows/v1/factories/{id}/${verb}`,
    tag,
    summary,
    description,
    access: 'factory:release',
    params: factoryId,
    body: FactoryReleaseInput,
    response: Factory,
    refusals: ['conflict'],
    audit: { procedure: `factory.${verb}`, request: ['id', 'orgId'] },
  })

export const releaseFactory = release(
  'release',
  'Release a factory to an organization',
  'The organization, which is engaged through yours, may source from the factory immediately. The factory must be active and not internal. 409 if it is already released.',
)
export const withdrawFactory = {
  ...release(
    'withdraw',
    'Withdraw a release',
    'The organization may no longer source from the factory. 409 if the factory is not released to it. 204 if your organization can no longer read the factory, which is inactive or internal.',
  ),
  otherStatuses: { 204: 'The release is withdrawn. Your organization can no longer read the factory.' },
} as const
