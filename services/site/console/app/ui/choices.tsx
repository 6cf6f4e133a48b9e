import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { TERRITORIES } from '../../../../../proto/territories.ts'
import { region } from '../format.ts'
import { Field, FieldMessage, useFieldError } from './form.tsx'

interface ChoicesProps {
  name: string
  label: string
  hint?: string
  options: readonly (readonly [value: string, label: ComponentChildren])[]
  chosen?: readonly string[]
}

/** Any number of some options; `data.getAll(name)` has the chosen ones. */
export function Choices({ name, label, hint, options, chosen = [] }: ChoicesProps) {
  const id = useId()
  const error = useFieldError(name)
  return (
    <fieldset class="choices" aria-describedby={error && `${id}-error`}>
      <legend>{label}</legend>
      <div>
        {options.map(([value, text]) => (
          <label key={value}>
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} /> {text}
          </label>
        ))}
      </div>
      {hint && <small class="quiet">{hint}</small>}
      <FieldMessage id={id} error={error} />
    </fieldset>
  )
}

export const chosenIn = <T extends string>(data: FormData, name: string) => data.getAll(name) as T[]

let made: readonly (readonly [code: string, name: string])[] | undefined

/** The countries and territories by their names, in the order of the language. */
export function countries() {
  made ??= TERRITORIES.map((code) => [code, region(code)] as const).toSorted(([, one], [, other]) =>
    one.localeCompare(other),
  )
  return made
}

interface CountryProps {
  name: string
  label: string
  value?: string | undefined
}

/** A country by its name; the API gets its code. */
export const CountryField = (field: CountryProps) => <Field {...field} options={[['', '–'], ...countries()]} />
