import type { FieldError } from '../../../proto/errors.ts'
import type { Part, PartInput, PartPatch } from '../../../proto/http/sourcing/parts.ts'

/** What the catalogs and the owner's organization say of the ids that a part names. */
export interface Resolved {
  /** Type of the named material; undefined where none is named or known. */
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

export const optionKey = ({ fieldId, optionId }: { fieldId: string; optionId: string }) => `${fieldId}/${optionId}`

/** Everything that is wrong with the ids of a part, each by the field that names it in what was sent. */
export function referenceProblems(input: PartContent, resolved: Resolved, sent: PartInput | PartPatch): FieldError[] {
  const problems: FieldError[] = []
  const refuse = (field: string, message: string) => problems.push({ field, message })

  if (input.materialId !== undefined && resolved.materialType === null) refuse('materialId', 'names no material')
  if (input.processId !== undefined && resolved.process === null) refuse('processId', 'names no process')
  const materialType = resolved.materialType ?? input.materialType
  if (input.materialType !== undefined && materialType !== input.materialType) {
    refuse('materialType', `contradicts the material, which is of type ${materialType}`)
  }
  if (resolved.process && materialType !== undefined && resolved.process.materialType !== materialType) {
    refuse('processId', `is a process for ${resolved.process.materialType}, not for ${materialType}`)
  }
  for (const [field, ids] of Object.entries(resolved.unknown)) {
    for (const id of ids) {
      const place = placeOf<string>((one) => one === id, field, sent, input)
      refuse(`${field}.${place}`, 'names nothing that a part of yours may name')
    }
  }
  const seen = new Set<string>()
  for (const selection of input.customFields) {
    const place = placeOf<typeof selection>(
      (one) => optionKey(one) === optionKey(selection),
      'customFields',
      sent,
      input,
    )
    if (!resolved.knownOptions.has(optionKey(selection))) {
      refuse(`customFields.${place}`, 'names no field and option of your organization')
    } else if (seen.has(selection.fieldId)) refuse(`customFields.${place}`, 'chooses a second option of one field')
    seen.add(selection.fieldId)
  }
  return problems
}

/** Where the caller finds it: lists are merged before they are looked at, and a patch need not send them. */
function placeOf<Item>(isIt: (item: Item) => boolean, field: string, sent: object, content: PartContent): number {
  const list = (sent as Record<string, unknown>)[field] ?? (content as Record<string, unknown>)[field]
  return Array.isArray(list) ? list.findIndex(isIt) : -1
}

/** What a part still lacks before it can be published, or would lack as one that has been. */
export function publishProblems(part: Pick<PartInput, 'title' | 'materialId' | 'materialType'>) {
  const problems: FieldError[] = []
  if (part.title === undefined) problems.push({ field: 'title', message: 'is needed to publish' })
  if (part.materialId === undefined && part.materialType === undefined) {
    problems.push({ field: 'materialType', message: 'is needed to publish, or a materialId' })
  }
  return problems
}

type PartState = Part['state']

interface Transition {
  from: PartState
  to: PartState
  /** Whether the part must have what publishing needs. */
  guarded: boolean
}

/** Each verb moves a part from one state to one other; a part in any state can be changed and deleted. */
export const TRANSITIONS = {
  publish: { from: 'DRAFT', to: 'PUBLISHED', guarded: true },
  archive: { from: 'PUBLISHED', to: 'ARCHIVED', guarded: false },
  unarchive: { from: 'ARCHIVED', to: 'PUBLISHED', guarded: true },
} as const satisfies Record<string, Transition>

export type PartVerb = keyof typeof TRANSITIONS

/** A part that is or was public keeps what publishing it needed. */
export const patchProblems = (state: PartState, content: PartContent): FieldError[] =>
  state === 'DRAFT' ? [] : publishProblems(content)

/** Repeated values of a list count once, in the order in which they first came. */
const merged = (values: readonly string[] | undefined): string[] => [...new Set(values ?? [])]

const mergedOptions = (selections: PartInput['customFields'] = []) => [
  ...new Map(selections.map((selection) => [optionKey(selection), selection])).values(),
]

/** A part as it is stored: lists merged, unsent ones empty, unsent flags false. */
export type PartContent = ReturnType<typeof contentOf>

export const contentOf = ({ boundingBox, ...input }: PartInput) => ({
  ...input,
  // A box without an edge is none.
  ...(boundingBox && Object.keys(boundingBox).length > 0 ? { boundingBox } : {}),
  requireSubscription: input.requireSubscription ?? false,
  internal: input.internal ?? false,
  standardIds: merged(input.standardIds),
  criticalityIds: merged(input.criticalityIds),
  categoryIds: merged(input.categoryIds),
  unspscCategoryIds: merged(input.unspscCategoryIds),
  keywords: merged(input.keywords),
  businessUnitIds: merged(input.businessUnitIds),
  metadata: input.metadata ?? {},
  customFields: mergedOptions(input.customFields),
})

/** The content of a part after a patch: what was sent replaces what was there, null clears it, the rest stays. */
export function patchedContent(part: Part, patch: PartPatch): PartContent {
  const sent = Object.entries(patch)
  const cleared = new Set(sent.filter(([, value]) => value === null).map(([name]) => name))
  const changed = Object.fromEntries(sent.filter(([, value]) => value !== null))
  const kept = Object.entries(writableFields(part)).filter(([name]) => !cleared.has(name))
  return contentOf({ ...Object.fromEntries(kept), ...changed })
}

/** A part without what only the marketplace writes. */
export function writableFields(part: Part): PartInput {
  const { id, serialNumber, ipOwnerOrgId, state, technologyIds, previewFileId, revision, ...rest } = part
  const { createdTime, updatedTime, publishedTime, ...writable } = rest
  return writable
}
