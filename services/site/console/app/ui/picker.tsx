import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { fill, t } from '../texts.ts'
import { FieldMessage, useFieldError } from './form.tsx'

type Option = readonly [value: string, label: string]

interface PickerProps {
  name: string
  label: string
  /** What was chosen before, by id. */
  chosen: readonly string[]
  /** The entries of these ids. */
  read: (ids: readonly string[]) => Promise<readonly Option[]>
  /** The first entries with this text. */
  find: (text: string) => Promise<readonly Option[]>
  /** Learns what is chosen after each change. */
  onChange?: (chosen: readonly Option[]) => void
}

/** Any number of entries of a long catalog, which are found by text; `data.getAll(name)` has the chosen ones. */
export function Picker({ name, label, chosen, read, find, onChange }: PickerProps) {
  const id = useId()
  const picked = useSignal<readonly Option[]>(chosen.map((value) => [value, value]))
  const text = useSignal('')
  const found = useSignal<readonly Option[]>([])
  useEffect(() => {
    if (chosen.length === 0) return
    read(chosen).then(
      (named) => {
        const labels = new Map(named)
        picked.value = picked.value.map(([value, shown]) => [value, labels.get(value) ?? shown])
      },
      () => undefined,
    )
  }, [])
  const search = async (typed: string) => {
    text.value = typed
    const options = typed.trim() === '' ? [] : await find(typed.trim()).catch(() => [])
    // Answers may arrive in another order than the requests were sent.
    if (text.value === typed) found.value = options
  }
  const choose = (options: readonly Option[]) => {
    picked.value = options
    onChange?.(options)
  }
  const pick = (option: Option) => {
    choose([...picked.value, option])
    text.value = ''
    found.value = []
  }
  const offered = found.value.filter(([value]) => !picked.value.some(([other]) => other === value))
  const error = useFieldError(name)
  return (
    <fieldset class="picker" aria-describedby={error && `${id}-error`}>
      <legend>{label}</legend>
      {picked.value.length > 0 && (
        <ul class="items">
          {picked.value.map(([value, shown]) => (
            <li key={value}>
              <span>{shown}</span>
              <input type="hidden" name={name} value={value} />
              <button
                type="button"
                aria-label={fill(t.ui.removeOf, { name: shown })}
                onClick={() => choose(picked.value.filter(([other]) => other !== value))}
              >
                {t.ui.remove}
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        type="search"
        aria-label={fill(t.ui.searchIn, { name: label })}
        placeholder={t.ui.search}
        value={text.value}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
      {offered.length > 0 && (
        <ul class="items">
          {offered.map((option) => (
            <li key={option[0]}>
              <span>{option[1]}</span>
              <button type="button" aria-label={fill(t.ui.addOf, { name: option[1] })} onClick={() => pick(option)}>
                {t.ui.add}
              </button>
            </li>
          ))}
        </ul>
      )}
      {text.value.trim() !== '' && offered.length === 0 && <p class="quiet">{t.ui.noneFound}</p>}
      <FieldMessage id={id} error={error} />
    </fieldset>
  )
}
