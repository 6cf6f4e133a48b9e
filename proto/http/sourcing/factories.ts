import { type Static, Type } from '@sinclair/typebox'
import { PRODUCTION_PROCESS_TYPES } from '../catalog/enums.ts'
import { defineOperation, defineTag } from '../operation.ts'
import {
  BatchOf,
  closed,
  FORM,
  Id,
  ItemsOf,
  Line,
  OneOf,
  PageOf,
  pageQuery,
  pathParam,
  Search,
  Text,
} from '../shapes.ts'

const tag = defineTag('Factories', 'Production sites, each owned by a manufacturer, with their capabilities.')

const EXAMPLE_FACTORY_ID = 'factory_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_ORG_ID = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

/** Maximum number of capabilities of a factory. */
const MAX_CAPABILITIES = 100

const length = (axis: string, example: number) =>
  Type.Number({
    minimum: 0,
    description: `Extent along ${axis} in millimetres.`,
    format: 'double',
    examples: [example],
  })

export const MaxEnvelope = closed(
  {
    x: Type.Optional(length('x', 400)),
    y: Type.Optional(length('y', 400)),
    z: Type.Optional(length('z', 380)),
  },
  {
    description: 'Largest part that can be made, in millimetres. A missing axis is not limited.',
    examples: [{ x: 400, y: 400, z: 380 }],
  },
)

/** The fields of a postal address. */
export const addressFields = {
  regionCode: Text(2, {
    minLength: 2,
    pattern: '^[A-Z]{2}$',
    [FORM]: 'two capital letters, such as NO',
    description: 'Country or territory: a two-letter region code of Unicode CLDR.',
    examples: ['NO'],
  }),
  locality: Line(100, { description: 'City or town.', examples: ['Bergen'] }),
  postalCode: Type.Optional(Line(20, { description: 'Postal code.', examples: ['5003'] })),
  lines: Type.Array(Line(200, { description: 'One line of the address.', examples: ['Damsgårdsveien 165'] }), {
    maxItems: 10,
    description: 'Street, building and other lines, as on an envelope.',
    examples: [['Damsgårdsveien 165']],
  }),
}

export const FactoryAddress = closed(addressFields, { description: 'Address of the factory.' })

const capability = {
  materialCode: Id('Code of a material.', '316l'),
  technologyId: Id('Id of a technology.', 'pbf-lb-m'),
  standardCodes: Type.Array(Id('Code of a standard.', 'iso-astm-52901'), {
    maxItems: 100,
    description: 'Codes of the standards that the factory meets with this capability; duplicates are removed.',
    examples: [['iso-astm-52901']],
  }),
  criticalityIds: Type.Array(Id('Id of a criticality.', 'api-20s-amsl-2'), {
    maxItems: 100,
    description: 'Ids of the highest criticalities that the factory is qualified for; duplicates are removed.',
    examples: [['api-20s-amsl-2']],
  }),
}

export const CapabilityInput = closed(
  {
    materialCode: capability.materialCode,
    technologyId: capability.technologyId,
    standardCodes: Type.Optional(capability.standardCodes),
    criticalityIds: Type.Optional(capability.criticalityIds),
    maxEnvelope: Type.Optional(MaxEnvelope),
  },
  { description: 'A material that the factory can process with a technology.' },
)
export type CapabilityInput = Static<typeof CapabilityInput>

export const Capability = closed(
  {
    ...capability,
    processType: OneOf(PRODUCTION_PROCESS_TYPES, {
      description: 'Production process type of the technology.',
      examples: ['additive_manufacturing'],
    }),
    maxEnvelope: Type.Optional(MaxEnvelope),
  },
  { description: 'A material that the factory can process with a technology.' },
)
export type Capability = Static<typeof Capability>

export const capabilitiesInput = Type.Array(CapabilityInput, {
  maxItems: MAX_CAPABILITIES,
  description: `At most ${MAX_CAPABILITIES} capabilities; equal ones are merged.`,
})

export const factoryName = Line(200, { description: 'Name of the factory.', examples: ['Vestland Additive, Bergen'] })

export const internalFlag = Type.Boolean({
  description: 'Whether only the owning organization, and organizations with orders from the factory, can see it.',
  examples: [false],
})

export const Factory = closed(
  {
    id: Type.String({ description: 'Id of the factory.', examples: [EXAMPLE_FACTORY_ID] }),
    name: factoryName,
    orgId: Type.String({ description: 'Id of the organization that owns the factory.', examples: [EXAMPLE_ORG_ID] }),
    orgName: Type.String({
      description: 'Name of the organization that owns the factory.',
      examples: ['Vestland Additive'],
    }),
    active: Type.Boolean({
      description: 'Whether the factory takes orders. False while its organization is not a manufacturer.',
      examples: [true],
    }),
    internal: internalFlag,
    address: FactoryAddress,
    capabilities: Type.Array(Capability, { description: 'What the factory can make.' }),
  },
  { description: 'A place of production.' },
)
export type Factory = Static<typeof Factory>

export const factoryId = pathParam('id', 'Id of the factory.', EXAMPLE_FACTORY_ID)

const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 200, description, examples: [example] }))

export const listFactories = defineOperation({
  id: 'listFactories',
  method: 'GET',
  path: '/v1/factories',
  tag,
  summary: 'List factories',
  description:
    'Ordered by name. The view MANUFACTURER returns the factories of your organization and needs `app:manufacturer`. CONSUMER returns the active factories that are not internal and from which your organization may source: all of them, or those that its distributor released to it. It needs `app:consumer`. Filters combine; the last four must all match the same capability.',
  access: ['app:consumer', 'app:manufacturer'],
  query: Type.Object({
    ...pageQuery,
    view: OneOf(['CONSUMER', 'MANUFACTURER'], { description: 'View of the list.', examples: ['CONSUMER'] }),
    q: Type.Optional(
      Search('Case-insensitive substring of the name of the factory or of its organization.', 'additive'),
    ),
    orgId: filter('Only factories of this organization.', EXAMPLE_ORG_ID),
    active: Type.Optional(Type.Boolean({ description: 'Only active or only inactive factories.', examples: [true] })),
    internal: Type.Optional(
      Type.Boolean({
        description: 'Only internal or only other factories. The view CONSUMER has no internal factories.',
        examples: [false],
      }),
    ),
    regionCode: filter('Only factories in this country or containment region of Unicode CLDR (`EU`, `150`).', 'NO'),
    locality: filter('Only factories whose locality begins with this text, ignoring case.', 'ber'),
    partId: filter(
      "Only factories that hold a capability in the part's material, and a capability in one of its technologies. A part without technologies is matched on material only. A part that you cannot read is not found.",
      'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB',
    ),
    materialCode: filter('Only factories with a capability in this material.', '316l'),
    standardCode: filter('Only factories with a capability that fulfils this standard.', 'iso-astm-52901'),
    criticalityCode: filter(
      'Only factories with a capability qualified for the criticality with this code.',
      'api-20s-amsl-2',
    ),
    processType: Type.Optional(
      OneOf(PRODUCTION_PROCESS_TYPES, {
        description: 'Only factories with a capability of this production process type.',
        examples: ['additive_manufacturing'],
      }),
    ),
  }),
  response: PageOf(Factory),
  refusals: ['not_found'],
})

export const getFactory = defineOperation({
  id: 'getFactory',
  method: 'GET',
  path: '/v1/factories/{id}',
  tag,
  summary: 'Get a factory',
  description:
    'A factory of your organization, of an order that names your organization, one that the view CONSUMER lists for you (with `app:consumer`), or an active one that is not internal (with `factory:release`). Others are not found.',
  access: 'token',
  params: factoryId,
  response: Factory,
  etag: true,
})

export const batchGetFactories = defineOperation({
  id: 'batchGetFactories',
  method: 'POST',
  path: '/v1/factories:batch-get',
  tag,
  summary: 'Get factories by id',
  description: 'Up to 100, in the order requested, each once. Unknown and inaccessible ones are omitted.',
  access: 'token',
  body: BatchOf('ids', [EXAMPLE_FACTORY_ID]),
  response: ItemsOf(Factory),
})
