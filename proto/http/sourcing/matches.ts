import { type Static, Type } from '@sinclair/typebox'
import { defineOperation } from '../operation.ts'
import { closed, OneOf, PageOf, pageQuery, Search } from '../shapes.ts'
import { Capability, Factory } from './factories.ts'
import { BoundingBox } from './part-fields.ts'
import { MeasuredBox } from './previews.ts'
import { rfqLifecycleTag } from './rfq-lifecycle.ts'
import { rfqId } from './rfqs.ts'

/** The requirements, in the order of a match. */
export const REQUIREMENTS = ['released', 'material', 'technology', 'standards', 'criticalities', 'envelope'] as const

/** Why a requirement is not met. */
const MISSES = [
  'NOT_RELEASED',
  'PART_WITHOUT_MATERIAL',
  'NO_CAPABILITY',
  'MATERIAL_NOT_COVERED',
  'LACKING',
  'TOO_SMALL',
] as const

export const RequirementMiss = closed(
  {
    code: OneOf(MISSES, {
      description:
        '`NOT_RELEASED` by the distributor; `PART_WITHOUT_MATERIAL`: the part names none; `NO_CAPABILITY` in one of the materials or technologies in `values`; `MATERIAL_NOT_COVERED`, so nothing can meet the requirement; `LACKING`: the capability lacks the standards or criticalities in `values`; `TOO_SMALL`: its envelope is too small along the axes in `values`.',
      examples: ['LACKING'],
    }),
    materialCode: Type.Optional(
      Type.String({ description: 'Material of the capability that comes closest.', examples: ['316l'] }),
    ),
    technologyId: Type.Optional(Type.String({ description: 'Its technology.', examples: ['pbf-lb-m'] })),
    values: Type.Optional(
      Type.Array(Type.String({ description: 'A code, an id or an axis.', examples: ['iso-astm-52901'] }), {
        description: 'What is missing.',
      }),
    ),
  },
  { description: '`reason` as a stable code with its values, to be put into words of any language.' },
)
export type RequirementMiss = Static<typeof RequirementMiss>

export const RequirementMatch = closed(
  {
    requirement: OneOf(REQUIREMENTS, {
      description:
        '`released` by the distributor of the consumer; `material`, `technology`, `standards`, `criticalities` and `envelope` of the part. The country of delivery is not a requirement: factories ship anywhere.',
      examples: ['standards'],
    }),
    met: Type.Boolean({ description: 'Whether the factory meets the requirement.', examples: [false] }),
    capability: Type.Optional(Capability),
    reason: Type.Optional(
      Type.String({
        description: 'Why the requirement is not met.',
        examples: ['pbf-lb-m of 316l lacks iso-astm-52901'],
      }),
    ),
    miss: Type.Optional(RequirementMiss),
    fit: Type.Optional(
      closed(
        {
          box: MeasuredBox,
          envelope: Type.Optional(BoundingBox),
          excess: Type.Optional(
            Type.Number({
              description: 'By how much the box is too large, in mm. Absent if it fits.',
              examples: [12.5],
            }),
          ),
        },
        {
          description:
            'Of the requirement `envelope`, if the part states no box and was measured: the box of the newest model that you can read, and the envelope in which it lies in any orientation. Without an envelope every part fits.',
        },
      ),
    ),
  },
  { description: 'A requirement with the capability that meets it, or the reason why none does.' },
)
export type RequirementMatch = Static<typeof RequirementMatch>

export const FactoryMatch = closed(
  {
    factory: Factory,
    requirements: Type.Array(RequirementMatch, {
      description: 'Every requirement of the part; it may have no standards, for example.',
    }),
  },
  { description: 'A factory that qualifies for an RFQ.' },
)
export type FactoryMatch = Static<typeof FactoryMatch>

export const listRfqMatches = defineOperation({
  id: 'listRfqMatches',
  method: 'GET',
  path: '/flows/v1/rfqs/{id}/matches',
  tag: rfqLifecycleTag,
  summary: 'List the factories that qualify for an RFQ',
  description:
    'For the consumer, by name of the factory. A factory qualifies if `GET /v1/factories?view=CONSUMER&partId=…` lists it: you may source from it, it has a capability in a material of the part, and one in a technology of the part. It need not meet the other requirements, which are listed as met or missed: a missed one may be worth asking about. A part that you can no longer read has no matches. With `q`, the factories of that name are listed although they do not qualify, with what they miss.',
  access: 'app:consumer',
  params: rfqId,
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(
      Search('Case-insensitive substring of the name of the factory or of its organization.', 'additive'),
    ),
  }),
  response: PageOf(FactoryMatch),
})
