import type { ComponentChildren } from 'preact'
import type { Part } from '../api.ts'
import {
  categoriesOf,
  criticalities,
  labelIn,
  materials,
  processes,
  standards,
  unspscCategoriesOf,
} from '../catalogs.ts'
import { useList, useOnce } from '../data.ts'
import { date, number } from '../format.ts'
import { orgId } from '../me.ts'
import { OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Facts, Section } from '../ui/page.tsx'

interface NamesProps {
  ids: readonly string[]
  read: typeof categoriesOf
}

/** Names of entries of a catalog, or their ids until the names are read. */
function Names({ ids, read }: NamesProps) {
  const { data: names = [] } = useOnce(ids.join(), () => read(ids))
  return <>{ids.map((id) => labelIn(names, id)).join(', ')}</>
}

/** What the owner attaches to its part, which no other organization reads. */
function useOwnFacts({ businessUnitIds = [], customFields = [] }: Part): [label: string, value: string][] {
  const units = useList(businessUnitIds.length > 0 ? '/flows/v1/business-units' : undefined, { query: ALL })
  const fields = useList(customFields.length > 0 ? '/flows/v1/custom-fields' : undefined, { query: ALL })
  const unitNames = businessUnitIds.map((id) => units.data?.find((unit) => unit.id === id)?.name ?? id)
  return [
    [t.parts.businessUnits, unitNames.join(', ')],
    ...customFields.map(({ fieldId, optionId }): [string, string] => {
      const field = fields.data?.find(({ id }) => id === fieldId)
      return [field?.name ?? fieldId, field?.options.find(({ id }) => id === optionId)?.name ?? optionId]
    }),
  ]
}

const ALL = { pageSize: 50 }

/** The extents that are known, in their unit. */
function sizeOf({
  boundingBox,
  unitSystem,
  measuredBoundingBox: measured,
  boundingBoxDiffers,
}: Part): string | undefined {
  const isOther = boundingBoxDiffers ? ` (${t.viewer.differs})` : ''
  const lengths = [boundingBox?.x, boundingBox?.y, boundingBox?.z].filter((length) => length !== undefined)
  if (lengths.length > 0)
    return `${lengths.map(number).join(' × ')} ${unitSystem === 'IMPERIAL' ? 'in' : 'mm'}${isOther}`
  if (!measured) return undefined
  const box = [measured.x, measured.y, measured.z].map((length) => number(Math.round(length * 100) / 100)).join(' × ')
  return fill(t.viewer.measured, { box })
}

/** A term with its value, and what tells whether two values differ where it is no text. */
export type PartFact = readonly [label: string, value: ComponentChildren, compared?: string]

const catalogFact = (label: string, { ids, read }: NamesProps): PartFact => [
  label,
  ids.length > 0 && <Names key={label} ids={ids} read={read} />,
  ids.join(),
]

/** What a part says of itself, without its title and description. */
export const usePartContent = (part: Part): PartFact[] => [
  [
    t.parts.material,
    labelIn(materials(), part.materialId) ?? (part.materialType && t.materialTypes[part.materialType]),
  ],
  [t.parts.process, labelIn(processes(), part.processId)],
  [part.ipOwnerOrgId === orgId.value ? t.parts.reference : t.parts.ownersReference, part.externalRef],
  [t.parts.internal, part.internal && t.ui.yes],
  [t.parts.descriptionManufacturer, part.descriptionManufacturer],
  [t.parts.materialNote, part.materialNote],
  [t.parts.processNote, part.processNote],
  [t.parts.rapidMaterial, part.rapidManufacturingMaterial],
  [t.factories.standards, part.standardIds.map((code) => labelIn(standards(), code)).join(', ')],
  [t.parts.criticalities, part.criticalityIds.map((code) => labelIn(criticalities(), code)).join(', ')],
  catalogFact(t.parts.categories, { ids: part.categoryIds, read: categoriesOf }),
  catalogFact(t.parts.unspsc, { ids: part.unspscCategoryIds, read: unspscCategoriesOf }),
  [t.parts.keywords, part.keywords.join(', ')],
  [t.parts.sections.size, sizeOf(part)],
  [t.parts.documentation, part.documentationRequirementNotes],
  [t.parts.exemptions, part.exemptionsNotes],
  [t.parts.notes, part.otherRequirementNotes],
  [t.parts.requireSubscription, part.requireSubscription && t.ui.yes],
  ...Object.entries(part.metadata).map(([key, value]) => [key, value] as const),
  ...useOwnFacts(part),
]

export const PartFacts = ({ part }: { part: Part }) => (
  <Section title={t.parts.part}>
    {part.description && <p class="text">{part.description}</p>}
    <Facts
      of={[
        [t.orgRoles.IP_OWNER, <OrgName key="owner" id={part.ipOwnerOrgId} />],
        ...usePartContent(part).map(([label, value]) => [label, value] as const),
        [t.parts.revisionNumber, String(part.revision)],
        [t.parts.published, part.publishedTime && date(part.publishedTime)],
        [t.parts.updated, date(part.updatedTime)],
      ]}
    />
  </Section>
)
