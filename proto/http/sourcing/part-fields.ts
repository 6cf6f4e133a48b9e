import { Type } from '@sinclair/typebox'
import { MATERIAL_TYPES } from '../catalog/enums.ts'
import { closed, Id, Line, LineOrEmpty, OneOf, Text } from '../shapes.ts'

export const UNIT_SYSTEMS = ['METRIC', 'IMPERIAL'] as const

const references = (one: string, many: string, examples: [string, ...string[]]) =>
  Type.Array(Id(`Id of a ${one}.`, examples[0]), {
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
    fieldId: Id("A custom field of the IP owner's organization.", 'field_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
    optionId: Id('One of the options of that field.', 'option_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
  },
  { description: 'The chosen option of a dropdown.' },
)

/** Writable fields of the specification. */
export const content = {
  title: Line(200, { description: 'Name of the part.', examples: ['Impeller, cooling water pump'] }),
  externalRef: LineOrEmpty(200, {
    description: "The IP owner's own reference, such as a drawing number.",
    examples: ['DRW-4711-B'],
  }),
  description: note('Description of the part.', 'Closed impeller with six vanes, 120 mm.'),
  materialType: OneOf(MATERIAL_TYPES, { description: 'Family of the material.', examples: ['metal'] }),
  materialId: Id('Code of a material; must be of the type `materialType` if both are sent.', '316l'),
  processId: Id('Code of a process for the material type.', 'pbf-metal'),
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
  unitSystem: OneOf(UNIT_SYSTEMS, {
    description: 'Unit of lengths: millimetres or inches.',
    examples: ['METRIC'],
  }),
  boundingBox: BoundingBox,
}

export const flags = {
  requireSubscription: Type.Boolean({
    description: 'Whether only the IP owner and its subscribers can publish RFQs for the part. Default false.',
    examples: [false],
  }),
  internal: Type.Boolean({
    description:
      'Whether only the IP owner, subscribers by name, invited manufacturers and the organizations of orders can read the part after publication. Default false.',
    examples: [false],
  }),
}

/** One line. The length is in `propertyNames`, because only engines in Unicode mode count code points in a pattern. */
const METADATA_KEY = '^[^\\n\\r\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]+$'
export const METADATA_KEY_MAX_CHARACTERS = 64

export const lists = {
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

export const ownerLists = {
  businessUnitIds: references('business unit', 'business units', ['bu_01JZ8Q4D3R1G5M7VJ0T6W2X9YB']),
  customFields: Type.Array(CustomFieldInput, {
    maxItems: 100,
    description: 'Dropdown selections, at most one per field.',
    examples: [[{ fieldId: 'field_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', optionId: 'option_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' }]],
  }),
}
