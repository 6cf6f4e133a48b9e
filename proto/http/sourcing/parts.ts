import { type Static, Type } from '@sinclair/typebox'
import { PART_STATES } from '../../states/parts.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, OneOf, PageOf, pageQuery, patchOf, pathParam, Search } from '../shapes.ts'
import { HistoryEntry } from './history.ts'
import { content, flags, lists, ownerLists } from './part-fields.ts'
import { MeasuredBox, pictureField } from './previews.ts'

export const partsTag = defineTag('Parts', 'Manufacturable items, each owned by an IP owner.')

export const EXAMPLE_PART_ID = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const PartInput = Type.Partial(closed({ ...content, ...flags, ...lists, ...ownerLists }), {
  description: 'No field is required. Ids must belong to catalog entries or to records of your organization.',
  examples: [{ title: 'Impeller, cooling water pump', materialId: '316l', processId: 'pbf-metal' }],
})
export type PartInput = Static<typeof PartInput>

export const PartPatch = patchOf(PartInput, {
  description: 'Changes the fields that are sent; null clears a field. Lists and objects are replaced completely.',
  examples: [{ title: 'Impeller, cooling water pump, revised', processNote: null }],
})
export type PartPatch = Static<typeof PartPatch>

export const Part = Type.Composite(
  [
    closed({
      id: Type.String({ description: 'Id of the part.', examples: [EXAMPLE_PART_ID] }),
      serialNumber: Type.String({
        description: '`P-` and eight Crockford characters, unique on the platform.',
        examples: ['P-7K2M9QXA'],
      }),
      ipOwnerOrgId: Type.String({
        description: 'Id of the organization that owns the part.',
        examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
      state: OneOf(PART_STATES, { description: 'State of the part.', examples: ['PUBLISHED'] }),
    }),
    Type.Partial(closed(content)),
    closed(flags),
    closed(lists),
    Type.Partial(closed(ownerLists)),
    closed({
      technologyIds: Type.Array(Type.String({ description: 'Id of a technology.', examples: ['pbf-lb-m'] }), {
        description: 'Technologies of its process.',
        examples: [['pbf-lb-m', 'pbf-eb-m']],
      }),
      previewFileId: Type.Optional(
        Type.String({
          description: 'Id of the newest READY file of group `preview`.',
          examples: ['file_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
        }),
      ),
      revision: Type.Integer({
        description: 'Starts at 1 and increases with each change of content or files.',
        examples: [1],
      }),
      createdTime: DateTime('Time of creation.'),
      updatedTime: DateTime('Time of the last change.'),
      publishedTime: Type.Optional(DateTime('Time of the first publication.')),
      measuredBoundingBox: Type.Optional({
        ...MeasuredBox,
        description:
          'Extent of the newest model that you can read, in millimetres, if the part has no `boundingBox`. In answers of `GET`.',
      }),
      boundingBoxDiffers: Type.Optional(
        Type.Boolean({
          description:
            'True if `boundingBox` differs from the newest model that you can read by more than 1 % of its largest axis, in any order of the axes. In answers of `GET`.',
          examples: [true],
        }),
      ),
      ...pictureField,
    }),
  ],
  {
    additionalProperties: false,
    description: '`businessUnitIds` and `customFields` are visible only to the IP owner.',
  },
)
export type Part = Static<typeof Part>

export const CreatedPart = closed({
  id: Type.String({ description: 'Id of the new part.', examples: [EXAMPLE_PART_ID] }),
  serialNumber: Type.String({ description: 'Serial number of the new part.', examples: ['P-7K2M9QXA'] }),
})

export const partId = pathParam('id', 'Id of the part.', EXAMPLE_PART_ID)

export const partView = OneOf(['CONSUMER', 'IP_OWNER'], {
  default: 'CONSUMER',
  description: 'View of the list.',
  examples: ['CONSUMER'],
})

export const listParts = defineOperation({
  id: 'listParts',
  method: 'GET',
  path: '/v1/parts',
  tag: partsTag,
  summary: 'List parts',
  description:
    'Newest first. The view CONSUMER returns published parts that are not internal, IP_OWNER the parts of your organization in any state.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    view: partView,
    q: Type.Optional(Search('Case-insensitive substring of title and external reference.', 'impeller')),
  }),
  response: PageOf(Part),
})

export const createPart = defineOperation({
  id: 'createPart',
  method: 'POST',
  path: '/v1/parts',
  tag: partsTag,
  summary: 'Create a part',
  description:
    'Creates a DRAFT of your organization, which must be an IP owner. `materialType` must be that of `materialId`, and `processId` a process for this type. Each custom field is selected once.',
  access: 'part:create',
  body: PartInput,
  response: CreatedPart,
  audit: { procedure: 'part.create', request: ['partId', ...Object.keys(PartInput.properties)] },
})

export const getPart = defineOperation({
  id: 'getPart',
  method: 'GET',
  path: '/v1/parts/{id}',
  tag: partsTag,
  summary: 'Get a part',
  description:
    'Any organization can read a published part that is not internal, and an organization with an ACTIVE subscription to it by name one that is. In any state, it can be read by its IP owner, by each organization of an order for it, and by each manufacturer invited to a published RFQ for it, until that manufacturer declines or the RFQ is CANCELLED or awarded without it. Before it accepts the confidentiality terms of the RFQ, it reads only title, material type, process and the required fields, whose lists are empty. Otherwise not found.',
  access: 'token',
  params: partId,
  response: Part,
  etag: true,
})

export const getPartMetadata = defineOperation({
  id: 'getPartMetadata',
  method: 'GET',
  path: '/v1/parts/{id}/metadata',
  tag: partsTag,
  summary: "Get a part's metadata",
  description: 'The key-value pairs of a part that the caller can read.',
  access: 'token',
  params: partId,
  response: closed({ metadata: lists.metadata }),
  etag: true,
})

export const listPartHistory = defineOperation({
  ...listOf(HistoryEntry),
  id: 'listPartHistory',
  path: '/v1/parts/{id}/history',
  tag: partsTag,
  summary: "List a part's history",
  description: 'Newest first. Only the IP owner can read the history. A deleted part has no readable history.',
  access: 'token',
  params: partId,
  beta: true,
})
