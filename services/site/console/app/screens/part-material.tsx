import { useSignal } from '@preact/signals'
import type { Part } from '../api.ts'
import { materials, materialTypeOf, orNone, processesOf } from '../catalogs.ts'
import { t } from '../texts.ts'
import { Field } from '../ui/form.tsx'

/** The processes to choose from are those of the chosen material's type. */
export function MaterialFields({ part }: { part: Part | undefined }) {
  const material = useSignal(part?.materialId ?? '')
  const family = useSignal<string>(part?.materialType ?? '')
  const type = material.value ? materialTypeOf(material.value) : family.value || undefined
  return (
    <>
      <div class="columns">
        <Field name="materialId" label={t.parts.material} text={material} options={orNone(materials())} />
        {material.value === '' && (
          <Field
            name="materialType"
            label={t.parts.materialType}
            text={family}
            options={orNone(Object.entries(t.materialTypes))}
          />
        )}
      </div>
      <Field name="processId" label={t.parts.process} value={part?.processId} options={orNone(processesOf(type))} />
    </>
  )
}
