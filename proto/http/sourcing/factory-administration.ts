import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { closed } from '../shapes.ts'
import { capabilitiesInput, Factory, FactoryAddress, factoryId, factoryName, internalFlag } from './factories.ts'

const tag = defineTag(
  'Factory administration',
  'Creation and change of factories by their manufacturer, and their release by distributors.',
)

/** Maximum number of factories of an organization. */
export const MAX_FACTORIES = 1000

export const CreateFactoryRequest = closed({
  name: factoryName,
  internal: Type.Optional(internalFlag),
  address: FactoryAddress,
  capabilities: Type.Optional(capabilitiesInput),
})
export type CreateFactoryRequest = Static<typeof CreateFactoryRequest>

export const PatchFactoryRequest = closed({
  name: Type.Optional(factoryName),
  internal: Type.Optional(internalFlag),
  address: Type.Optional(FactoryAddress),
})
export type PatchFactoryRequest = Static<typeof PatchFactoryRequest>

export const ReplaceCapabilitiesRequest = closed({ capabilities: capabilitiesInput })
export type ReplaceCapabilitiesRequest = Static<typeof ReplaceCapabilitiesRequest>

export const FactoryReleaseRequest = closed({
  orgId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'An organization that is engaged through yours.',
    examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
  }),
})
export type FactoryReleaseRequest = Static<typeof FactoryReleaseRequest>

export const createFactory = defineOperation({
  id: 'createFactory',
  method: 'POST',
  path: '/flows/v1/factories',
  tag,
  summary: 'Create a factory',
  description: `Creates an active factory of your organization, which must be a manufacturer. At most ${MAX_FACTORIES} factories per organization.`,
  access: 'factory:manage',
  body: CreateFactoryRequest,
  status: 201,
  response: Factory,
  idempotent: true,
  refusals: ['limit_reached'],
  audit: { procedure: 'factory.create', request: ['factoryId', 'name', 'internal', 'address', 'capabilities'] },
})

export const patchFactory = defineOperation({
  id: 'patchFactory',
  method: 'PATCH',
  path: '/flows/v1/factories/{id}',
  tag,
  summary: 'Change a factory',
  description: 'Changes the fields that are sent. The address is replaced completely.',
  access: 'factory:manage',
  params: factoryId,
  body: PatchFactoryRequest,
  response: Factory,
  ifMatch: true,
  etag: true,
  refusals: ['precondition_failed'],
  audit: { procedure: 'factory.patch', request: ['id', 'name', 'internal', 'address'] },
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
  body: ReplaceCapabilitiesRequest,
  response: Factory,
  ifMatch: true,
  etag: true,
  refusals: ['precondition_failed'],
  audit: { procedure: 'factory.capabilities', request: ['id', 'capabilities'] },
})

const transition = <const V extends 'activate' | 'deactivate'>(verb: V, summary: string, description: string) =>
  defineOperation({
    id: `${verb}Factory`,
    method: 'POST',
    path: `/flows/v1/factories/{id}/${verb}`,
    tag,
    summary,
    description,
    access: 'factory:manage',
    params: factoryId,
    response: Factory,
    etag: true,
    refusals: ['illegal_transition'],
    audit: { procedure: `factory.${verb}`, request: ['id'] },
  })

export const activateFactory = transition('activate', 'Activate a factory', 'Consumers find the factory again.')
export const deactivateFactory = transition(
  'deactivate',
  'Deactivate a factory',
  'Consumers no longer find the factory, and only its organization can read it.',
)

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
    body: FactoryReleaseRequest,
    response: Factory,
    refusals: ['conflict'],
    audit: { procedure: `factory.${verb}`, request: ['id', 'orgId'] },
  })

export const releaseFactory = release(
  'release',
  'Release a factory to an organization',
  'The organization, which is engaged through yours, may source from the factory at once. The factory must be active and not internal. 409 if it is released already.',
)
export const withdrawFactory = release(
  'withdraw',
  'Withdraw a release',
  'The organization may no longer source from the factory. 409 if the factory is not released to it.',
)
