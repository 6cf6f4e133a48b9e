import type { FieldError } from '../../../proto/errors.ts'
import { inOrderOf } from '../../../proto/http/shapes.ts'
import { METADATA_KEY_MAX_CHARACTERS } from '../../../proto/http/sourcing/part-fields.ts'
import { type Part, PartInput, type PartPatch } from '../../../proto/http/sourcing/parts.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { PART, PartState } from '../../../proto/states/parts.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

/** The catalog entries and labels that the ids of a part resolve to. */
export interface Resolved {
  /** Type of the material; null if there is none or it is unknown. */
  materialType: string | null
  process: { materialType: string; technologyIds: string[] } | null
  unknown: {
    standardIds: string[]
    criticalityIds: string[]
    categoryIds: string[]
    unspscCategoryIds: string[]
    businessUnitIds: string[]
  }
  /** The pairs of field and option that exist in the organization, as `fieldId/optionId`. */
  knownOptions: ReadonlySet<string>
}

const REFERENCED: Record<keyof Resolved['unknown'], { what: string; where?: string }> = {
  standardIds: { what: 'standard' },
  criticalityIds: { what: 'criticality' },
  categoryIds: { what: 'category' },
  unspscCategoryIds: { what: 'UNSPSC category' },
  businessUnitIds: { what: 'business unit', where: 'in your organization' },
}

export const optionKey = ({ fieldId, optionId }: { fieldId: string; optionId: string }) => `${fieldId}/${optionId}`

/** The problems of the ids of a part, each with its field in the request. */
export function referenceProblems(input: PartContent, resolved: Resolved, sent: PartInput | PartPatch): FieldError[] {
  const problems: FieldError[] = []
  const refuse = (field: string, message: string) => problems.push({ field, message })

  if (input.materialId !== undefined && resolved.materialType === null) {
    refuse('materialId', noSuch('material', input.materialId))
  }
  if (input.processId !== undefined && resolved.process === null)
    refuse('processId', noSuch('process', input.processId))
  const materialType = resolved.materialType ?? input.materialType
  if (input.materialType !== undefined && materialType !== input.materialType) {
    refuse('materialType', `contradicts the material, which is of type ${materialType}`)
  }
  if (resolved.process && materialType !== undefined && resolved.process.materialType !== materialType) {
    refuse('processId', `is a process for ${resolved.process.materialType}, not for ${materialType}`)
  }
  for (const [field, ids] of Object.entries(resolved.unknown) as [keyof Resolved['unknown'], string[]][]) {
    for (const id of ids) {
      const index = indexOf<string>((one) => one === id, field, sent, input)
      refuse(`${field}.${index}`, noSuch(REFERENCED[field].what, id, REFERENCED[field].where))
    }
  }
  const seen = new Set<string>()
  for (const selection of input.customFields) {
    const index = indexOf<typeof selection>(
      (one) => optionKey(one) === optionKey(selection),
      'customFields',
      sent,
      input,
    )
    if (!resolved.knownOptions.has(optionKey(selection))) {
      refuse(`customFields.${index}`, noSuch('option', selection.optionId, 'of this field in your organization'))
    } else if (seen.has(selection.fieldId)) refuse(`customFields.${index}`, 'is a second option of the same field')
    seen.add(selection.fieldId)
  }
  return problems
}

/** The index in the list of the request, or in the stored list if a patch does not contain the list. */
function indexOf<Item>(isMatch: (item: Item) => boolean, field: string, sent: object, content: PartContent): number {
  const list = (sent as Record<string, unknown>)[field] ?? (content as Record<string, unknown>)[field]
  return Array.isArray(list) ? list.findIndex(isMatch) : -1
}

/** The keys of `metadata` that are too long, counted in code points. */
export function metadataProblems({ metadata }: PartInput | PartPatch): FieldError[] {
  const isLong = Object.keys(metadata ?? {}).some((key) => Array.from(key).length > METADATA_KEY_MAX_CHARACTERS)
  return isLong
    ? [{ field: 'metadata', message: `must have names of 1 to ${METADATA_KEY_MAX_CHARACTERS} characters` }]
    : []
}

/** The fields that a published part must have and this one lacks. */
function publishProblems(part: Pick<PartInput, 'title' | 'materialId' | 'materialType'>) {
  const problems: FieldError[] = []
  if (part.title === undefined) problems.push({ field: 'title', message: 'is required to publish' })
  if (part.materialId === undefined && part.materialType === undefined) {
    problems.push({ field: 'materialType', message: 'is required to publish, or a materialId' })
  }
  return problems
}

/** The guards of the state table. */
export const GUARDS = {
  hasRequiredFields: publishProblems,
  keepsRequiredFields: ({ state, content }: { state: PartState; content: PartContent }) =>
    state === 'DRAFT' ? [] : publishProblems(content),
  staysInternal: ({ content, isConfidential }: { content: PartContent; isConfidential: boolean }) =>
    isConfidential && !content.internal
      ? [{ field: 'internal', message: 'must stay true until the RFQs with confidentiality terms have ended' }]
      : [],
  isNotInTrade: ({ liveRfqs, unfinishedOrders }: { liveRfqs: number; unfinishedOrders: number }) =>
    liveRfqs + unfinishedOrders > 0 ? 'There is an OPEN or CLOSED RFQ or an unfinished order for the part.' : undefined,
} satisfies Guards<typeof PART.verbs, keyof typeof PART.verbs, never>

const uniqueOptions = (selections: PartInput['customFields'] = []) => [
  ...new Map(selections.map((selection) => [optionKey(selection), selection])).values(),
]

/** The stored fields of a part: lists without duplicates, unsent lists empty, unsent flags false. */
export type PartContent = ReturnType<typeof contentOf>

export const contentOf = ({ boundingBox, ...input }: PartInput) =>
  inOrderOf(PartInput, {
    ...input,
    // A box without edges is not stored.
    ...(boundingBox && Object.keys(boundingBox).length > 0 ? { boundingBox } : {}),
    requireSubscription: input.requireSubscription ?? false,
    internal: input.internal ?? false,
    standardIds: [...new Set(input.standardIds)],
    criticalityIds: [...new Set(input.criticalityIds)],
    categoryIds: [...new Set(input.categoryIds)],
    unspscCategoryIds: [...new Set(input.unspscCategoryIds)],
    keywords: [...new Set(input.keywords)],
    businessUnitIds: [...new Set(input.businessUnitIds)],
    metadata: input.metadata ?? {},
    customFields: uniqueOptions(input.customFields),
  })

/** The content of a part after a patch: sent fields replace the stored ones, null clears a field. */
export function patchedContent(part: Part, patch: PartPatch): PartContent {
  const sent = Object.entries(patch)
  const cleared = new Set(sent.filter(([, value]) => value === null).map(([name]) => name))
  const changed = Object.fromEntries(sent.filter(([, value]) => value !== null))
  const kept = Object.entries(writableFields(part)).filter(([name]) => !cleared.has(name))
  return contentOf({ ...Object.fromEntries(kept), ...changed })
}

/** A part without the fields that the marketplace sets. */
export function writableFields(part: Part): PartInput {
  const { id, serialNumber, ipOwnerOrgId, state, technologyIds, previewFileId, revision, ...rest } = part
  const { createdTime, updatedTime, publishedTime, ...writable } = rest
  return writable
}

/** The number of a revision in a path; 0, which no revision has, for anything else. */
export const revisionOf = ({ revision }: { revision: string }): number =>
  /^[1-9]\d{0,8}$/.test(revision) ? Number(revision) : 0
