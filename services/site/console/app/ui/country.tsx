import { TERRITORIES } from '../../../../../proto/territories.ts'
import { region } from '../format.ts'
import { Field } from './form.tsx'

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
