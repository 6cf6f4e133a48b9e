import { type Static, Type } from '@sinclair/typebox'
import { MATERIAL_TYPES } from '../catalog/enums.ts'
import { defineOperation, defineTag } from '../operation.ts'
import {
  closed,
  DateTime,
  Line,
  LineOrEmpty,
  OneOf,
  OrNull,
  PageOf,
  pageQuery,
  pathParam,
  Search,
  Text,
} from '../shapes.ts'
import { HistoryEntry } from './history.ts'

export const partsTag = defineTag('Parts', 'Manufacturable items, each owned by an IP owner.')

const PART_STATES = ['DRAFT', 'PUBLISHED', 'ARCHIVED'] as const

const EXAMPLE_ID = 'part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

const references = (one: string, many: string, examples: string[]) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64, description: `Id of a ${one}.`, examples: [examples[0]] }), {
    maxItems: 100,
    description: `Ids of ${many}; duplicates are removed.`,
    examples: [examples],
  })

const note = (description: string, example: string) => Text(10_000, { description, examples: [example] })

const length = (axis: string, example: number) =>
  Type.Number({
    minimum: 0,
    description: `Extent along ${axis}: millimetres, or inches if \`unitSystem\` is IMPERIAL.`,
    format: 'double',
    examples: [example],
  })

export const BoundingBox = closed(
  {
    x: Type.Optional(length('x', 120)),
    y: Type.Optional(length('y', 120)),
    z: Type.Optional(length('z', 45.5)),
  },
  { description: 'Extent of the part. All axes are optional.', examples: [{ x: 120, y: 120, z: 45.5 }] },
)

export const CustomFieldInput = closed(
  {
    fieldId: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "A custom field of the IP owner's organization.",
      examples: ['field_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    optionId: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'One of the options of that field.',
      examples: ['option_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
  },
  { description: 'The chosen option of a dropdown.' },
)

/** Writable fields of the specification. */
const content = {
  title: Line(200, { description: 'Name of the part.', examples: ['Impeller, cooling water pump'] }),
  externalRef: LineOrEmpty(200, {
    description: "The IP owner's own reference, such as a drawing number.",
    examples: ['DRW-4711-B'],
  }),
  description: note('Description of the part.', 'Closed impeller with six vanes, 120 mm.'),
  materialType: OneOf(MATERIAL_TYPES, { description: 'Family of the material.', examples: ['metal'] }),
  materialId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Code of a material, which must have the type `materialType` if both are sent.',
    examples: ['316l'],
  }),
  processId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Code of a process for the material type.',
    examples: ['pbf-metal'],
  }),
  materialNote: note('Notes on the material.', 'Low carbon, heat certificate needed.'),
  processNote: note('Notes on the process.', 'Build upright; HIP afterwards.'),
  rapidManufacturingMaterial: LineOrEmpty(200, {
    description: 'Material for a rapidly manufactured version.',
    examples: ['PA12'],
  }),
  exemptionsNotes: note('Exemptions from the requirements.', 'Surface class may be one lower on the back.'),
  documentationRequirementNotes: note('Documents to deliver with the part.', 'EN 10204 3.1 certificate.'),
  otherRequirementNotes: note('Any other requirement.', 'Balance to G6.3.'),
  descriptionManufacturer: note('Description addressed to manufacturers.', 'Machine the bore after printing.'),
  unitSystem: OneOf(['METRIC', 'IMPERIAL'], {
    description: 'Unit of lengths: millimetres or inches.',
    examples: ['METRIC'],
  }),
  boundingBox: BoundingBox,
}

const flags = {
  requireSubscription: Type.Boolean({
    description: 'Stored without further effect. Default false.',
    examples: [false],
  }),
  internal: Type.Boolean({
    description: 'Whether only the IP owner can read the part after publication. Default false.',
    examples: [false],
  }),
}

/** One line. The length is in `propertyNames`, because only engines in Unicode mode count code points in a pattern. */
const METADATA_KEY = '^[^\\n\\r\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]+$'
export const METADATA_KEY_MAX_CHARACTERS = 64

const lists = {
  standardIds: references('standard', 'standards', ['iso-astm-52901']),
  criticalityIds: references('criticality', 'criticalities', ['api-20s-amsl-2']),
  categoryIds: references('category', 'categories', ['iso-14224-pu']),
  unspscCategoryIds: references('UNSPSC category', 'UNSPSC categories', ['40151503']),
  keywords: Type.Array(Line(64, { description: 'One keyword.', examples: ['impeller'] }), {
    maxItems: 50,
    description: 'Keywords of the part.',
    examples: [['impeller', 'pump']],
  }),
  metadata: Type.Record(
    Type.String({ pattern: METADATA_KEY }),
    Text(1024, { description: 'The value of a key.', examples: ['P-101A'] }),
    {
      maxProperties: 50,
      // TypeBox does not check it; a body rule does.
      propertyNames: { maxLength: METADATA_KEY_MAX_CHARACTERS },
      // Keys that do not match the pattern are refused.
      additionalProperties: false,
      description: 'Key-value pairs attached to the part: at most 50, keys of at most 64 characters.',
      examples: [{ pump: 'P-101A' }],
    },
  ),
}

const ownerLists = {
  businessUnitIds: references('business unit', 'business units', ['bu_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']),
  customFields: Type.Array(CustomFieldInput, {
    maxItems: 100,
    description: 'Dropdown selections, at most one per field.',
    examples: [[{ fieldId: 'field_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', optionId: 'option_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' }]],
  }),
}

export const PartInput = Type.Partial(closed({ ...content, ...flags, ...lists, ...ownerLists }), {
  description: 'No field is required. Ids must belong to catalog entries or to records of your organization.',
  examples: [{ title: 'Impeller, cooling water pump', materialId: '316l', processId: 'pbf-metal' }],
})
export type PartInput = Static<typeof PartInput>

/** Every field is optional; null clears one. */
export const PartPatch = closed(
  Object.fromEntries(
    Object.entries({ ...content, ...flags, ...lists, ...ownerLists }).map(([name, schema]) => [
      name,
      Type.Optional(OrNull(schema)),
    ]),
  ),
  {
    description: 'Changes the fields that are sent; null clears a field. Lists and objects are replaced completely.',
    examples: [{ title: 'Impeller, cooling water pump, revised', processNote: null }],
  },
)
export type PartPatch = { [Name in keyof PartInput]?: PartInput[Name] | null }

export const Part = Type.Composite(
  [
    closed({
      id: Type.String({ description: 'Id of the part.', examples: [EXAMPLE_ID] }),
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
      publishedTime: Type.Optional(DateTime('Time of the last publication.')),
    }),
  ],
  {
    additionalProperties: false,
    description: '`businessUnitIds` and `customFields` are visible only to the IP owner.',
  },
)
export type Part = Static<typeof Part>

export const CreatePartResponse = closed({
  id: Type.String({ description: 'Id of the new part.', examples: [EXAMPLE_ID] }),
  serialNumber: Type.String({ description: 'Serial number of the new part.', examples: ['P-7K2M9QXA'] }),
})

export const partId = pathParam('id', 'Id of the part.', EXAMPLE_ID)

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
    view: OneOf(['CONSUMER', 'IP_OWNER'], {
      default: 'CONSUMER',
      description: 'View of the list.',
      examples: ['CONSUMER'],
    }),
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
  description: 'Creates a DRAFT of your organization, which must be an IP owner.',
  access: 'part:create',
  body: PartInput,
  response: CreatePartResponse,
  idempotent: true,
  audit: { procedure: 'part.create', request: [...Object.keys(PartInput.properties)] },
})

export const getPart = defineOperation({
  id: 'getPart',
  method: 'GET',
  path: '/v1/parts/{id}',
  tag: partsTag,
  summary: 'Get a part',
  description:
    'Any organization can read a published part that is not internal. In any state, the IP owner can read it, and each manufacturer that is invited to a published RFQ for it. Otherwise not found.',
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
  id: 'listPartHistory',
  method: 'GET',
  path: '/v1/parts/{id}/history',
  tag: partsTag,
  summary: "List a part's history",
  description: 'Newest first. Only the IP owner can read the history. A deleted part has no readable history.',
  access: 'token',
  params: partId,
  query: Type.Object(pageQuery),
  response: PageOf(HistoryEntry),
  beta: true,
})
