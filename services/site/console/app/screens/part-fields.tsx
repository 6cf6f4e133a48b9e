import { useSignal } from '@preact/signals'
import {
  type BusinessUnit,
  type CustomField,
  type MaterialType,
  market,
  type Part,
  type PartInput,
  type UnitSystem,
} from '../api.ts'
import {
  categoriesOf,
  categoryOption,
  criticalities,
  orNone,
  standards,
  unspscCategoriesOf,
  unspscOption,
} from '../catalogs.ts'
import { useOnce } from '../data.ts'
import { t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { amountOf, Field, FieldProblem, textOf } from '../ui/form.tsx'
import { Pairs, pairsOf } from '../ui/pairs.tsx'
import { Picker } from '../ui/picker.tsx'
import { Shown } from '../ui/states.tsx'
import { Unfold } from '../ui/unfold.tsx'
import { MaterialFields } from './part-material.tsx'
import { Internal, InternalField } from './part-publication.tsx'

const TEXTS = [
  'title',
  'externalRef',
  'description',
  'descriptionManufacturer',
  'materialId',
  'processId',
  'materialNote',
  'processNote',
  'rapidManufacturingMaterial',
  'exemptionsNotes',
  'documentationRequirementNotes',
  'otherRequirementNotes',
] as const
const LISTS = ['standardIds', 'criticalityIds', 'categoryIds', 'unspscCategoryIds', 'businessUnitIds'] as const
const AXES = ['x', 'y', 'z'] as const

/** A section that was never unfolded has no fields, so its marker is missing and nothing of it is sent. */
type PartSection = 'classes' | 'size' | 'metadata' | 'own'
const isUnfolded = (data: FormData, section: PartSection) => data.has(`section.${section}`)
const Marker = ({ section }: { section: PartSection }) => <input type="hidden" name={`section.${section}`} value="on" />

const filled = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

const length = (data: FormData, axis: string) => {
  const text = amountOf(data, `boundingBox.${axis}`)
  if (text === undefined) return undefined
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : (text as unknown as number)
}

/** What a person has typed in the sections that were unfolded; an empty field has no value. */
export function partContentOf(data: FormData): { [K in keyof PartInput]: PartInput[K] | undefined } {
  const title = data.get('title')
  if (typeof title === 'string' && title !== '' && title.trim() === '')
    throw new FieldProblem('title', t.parts.blankTitle)
  const typed = TEXTS.filter((name) => data.has(name))
  const lists = LISTS.filter((name) => data.has(`list.${name}`))
  const box = filled(Object.fromEntries(AXES.map((axis) => [axis, length(data, axis)])))
  const fields = [...data.entries()].filter(([name, value]) => name.startsWith('customField.') && value !== '')
  return {
    ...Object.fromEntries(typed.map((name) => [name, textOf(data, name)])),
    ...Object.fromEntries(lists.map((name) => [name, chosenIn(data, name)])),
    materialType: textOf(data, 'materialId') ? undefined : (textOf(data, 'materialType') as MaterialType | undefined),
    internal: data.has('internal'),
    ...(isUnfolded(data, 'classes') && { keywords: linesOf(data, 'keywords') }),
    ...(isUnfolded(data, 'size') && {
      unitSystem: textOf(data, 'unitSystem') as UnitSystem | undefined,
      boundingBox: Object.keys(box).length > 0 ? box : undefined,
    }),
    ...(isUnfolded(data, 'own') && {
      requireSubscription: data.has('requireSubscription'),
      customFields: fields.map(([name, optionId]) => ({
        fieldId: name.slice('customField.'.length),
        optionId: String(optionId),
      })),
    }),
    ...(isUnfolded(data, 'metadata') && { metadata: pairsOf(data, 'metadata') }),
  }
}

const linesOf = (data: FormData, name: string) =>
  (textOf(data, name) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const Note = ({ name, label, part }: { name: (typeof TEXTS)[number]; label: string; part: Part | undefined }) => (
  <Field name={name} label={label} rows={3} value={part?.[name]} isOptional />
)

const Notes = ({ part }: { part: Part | undefined }) => (
  <>
    <Field
      name="descriptionManufacturer"
      label={t.parts.descriptionManufacturer}
      hint={t.parts.descriptionManufacturerHint}
      rows={3}
      value={part?.descriptionManufacturer}
      isOptional
    />
    <Note name="materialNote" label={t.parts.materialNote} part={part} />
    <Note name="processNote" label={t.parts.processNote} part={part} />
    <Field
      name="rapidManufacturingMaterial"
      label={t.parts.rapidMaterial}
      value={part?.rapidManufacturingMaterial}
      isOptional
    />
    <Note name="documentationRequirementNotes" label={t.parts.documentation} part={part} />
    <Note name="exemptionsNotes" label={t.parts.exemptions} part={part} />
    <Note name="otherRequirementNotes" label={t.parts.notes} part={part} />
  </>
)

/** Marks a list of the form, so that an empty one is also sent. */
const ListMarker = ({ name }: { name: (typeof LISTS)[number] }) => (
  <input type="hidden" name={`list.${name}`} value="on" />
)

const FOUND = { page: 1, pageSize: 10 }
const Classes = ({ part }: { part: Part | undefined }) => (
  <>
    <Marker section="classes" />
    <ListMarker name="standardIds" />
    <Choices name="standardIds" label={t.factories.standards} options={standards()} chosen={part?.standardIds ?? []} />
    <ListMarker name="criticalityIds" />
    <Choices
      name="criticalityIds"
      label={t.parts.criticalities}
      options={criticalities()}
      chosen={part?.criticalityIds ?? []}
    />
    <ListMarker name="categoryIds" />
    <Picker
      name="categoryIds"
      label={t.parts.categories}
      chosen={part?.categoryIds ?? []}
      read={categoriesOf}
      find={async (search) =>
        (await market.GET('/v1/categories', { params: { query: { ...FOUND, search } } })).data.items.map(categoryOption)
      }
    />
    <ListMarker name="unspscCategoryIds" />
    <Picker
      name="unspscCategoryIds"
      label={t.parts.unspsc}
      chosen={part?.unspscCategoryIds ?? []}
      read={unspscCategoriesOf}
      find={async (search) =>
        (await market.GET('/v1/unspsc-categories', { params: { query: { ...FOUND, search } } })).data.items.map(
          unspscOption,
        )
      }
    />
    <Field
      name="keywords"
      label={t.parts.keywords}
      hint={t.parts.keywordsHint}
      rows={3}
      value={part?.keywords.join('\n')}
      isOptional
    />
  </>
)

function Size({ part }: { part: Part | undefined }) {
  const system = useSignal<string>(part?.unitSystem ?? '')
  const unit = system.value === 'IMPERIAL' ? t.parts.inch : t.parts.millimetre
  return (
    <>
      <Marker section="size" />
      <Field
        name="unitSystem"
        label={t.parts.unitSystem}
        text={system}
        options={orNone(Object.entries(t.parts.unitSystems))}
      />
      <div class="columns">
        {AXES.map((axis) => (
          <Field
            key={axis}
            name={`boundingBox.${axis}`}
            label={`${t.parts.axes[axis]}, ${unit}`}
            type="number"
            value={part?.boundingBox?.[axis]?.toString()}
            isOptional
          />
        ))}
      </div>
    </>
  )
}

/** Visible to everyone who reads the part. */
const Metadata = ({ part }: { part: Part | undefined }) => (
  <>
    <Marker section="metadata" />
    <p class="quiet">{t.parts.metadataHint}</p>
    <Pairs name="metadata" label={t.parts.metadata} value={part?.metadata} />
  </>
)

/** What the organization defines for itself, and attaches to its part. */
function OwnFields({ part }: { part: Part | undefined }) {
  // All of them, because the part keeps only those that the form sends.
  const own = useOnce('', () =>
    Promise.all([
      Array.fromAsync(market.pages('/flows/v1/business-units')),
      Array.fromAsync(market.pages('/flows/v1/custom-fields')),
    ]),
  )
  return (
    <Shown read={own} lines={2}>
      {([units, fields]) => <OwnChoices part={part} units={units} fields={fields} />}
    </Shown>
  )
}

function OwnChoices({ part, units, fields }: { part: Part | undefined; units: BusinessUnit[]; fields: CustomField[] }) {
  return (
    <>
      <Marker section="own" />
      <ListMarker name="businessUnitIds" />
      {units.length > 0 && (
        <Choices
          name="businessUnitIds"
          label={t.parts.businessUnits}
          options={units.map(({ id, name }) => [id, name] as const)}
          chosen={part?.businessUnitIds ?? []}
        />
      )}
      {fields.map(({ id, name, options }) => (
        <Field
          key={id}
          name={`customField.${id}`}
          label={name}
          value={part?.customFields?.find(({ fieldId }) => fieldId === id)?.optionId}
          options={orNone(options.map((option) => [option.id, option.name] as const))}
        />
      ))}
      <Field
        name="requireSubscription"
        label={t.parts.requireSubscription}
        hint={t.parts.requireSubscriptionHint}
        type="checkbox"
        value={String(part?.requireSubscription ?? false)}
      />
    </>
  )
}

/** The fields that most parts need, and the others in sections. */
export const PartFields = ({ part }: { part?: Part }) => (
  <>
    <Field name="title" label={t.parts.title} value={part?.title} isFocused />
    <Field name="externalRef" label={t.parts.reference} value={part?.externalRef} isOptional />
    <Field name="description" label={t.parts.description} rows={4} value={part?.description} isOptional />
    <MaterialFields part={part} />
    {part ? <InternalField part={part} /> : <Internal />}
    <Unfold title={t.parts.sections.notes}>{() => <Notes part={part} />}</Unfold>
    <Unfold title={t.parts.sections.classes}>{() => <Classes part={part} />}</Unfold>
    <Unfold title={t.parts.sections.size}>{() => <Size part={part} />}</Unfold>
    <Unfold title={t.parts.metadata}>{() => <Metadata part={part} />}</Unfold>
    <Unfold title={t.parts.sections.own}>{() => <OwnFields part={part} />}</Unfold>
  </>
)
