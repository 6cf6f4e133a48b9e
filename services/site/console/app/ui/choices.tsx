import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useId } from 'preact/hooks'
import { FormContext } from './form.tsx'

interface ChoicesProps {
  name: string
  label: string
  options: readonly (readonly [value: string, label: ComponentChildren])[]
  chosen?: readonly string[]
}

/** Any number of some options; `data.getAll(name)` has the chosen ones. */
export function Choices({ name, label, options, chosen = [] }: ChoicesProps) {
  const id = useId()
  const form = useContext(FormContext)
  useEffect(() => {
    form?.fields.add(name)
    return () => void form?.fields.delete(name)
  }, [form, name])
  const error = form?.errors.value[name]
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
      {error && (
        <small id={`${id}-error`} class="error">
          {error}
        </small>
      )}
    </fieldset>
  )
}

export const chosenIn = <T extends string>(data: FormData, name: string) => data.getAll(name) as T[]
