import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { t } from '../texts.ts'
import { FieldMessage, FieldProblem, useFieldError } from './form.tsx'

interface PairsProps {
  name: string
  label: string
  value?: Readonly<Record<string, string>> | undefined
}

/** Rows of a key and its value. */
export function Pairs({ name, label, value = {} }: PairsProps) {
  const id = useId()
  const next = useSignal(Object.keys(value).length)
  const rows = useSignal(Object.entries(value).map(([key, text], row) => ({ row, key, text })))
  const add = () => {
    rows.value = [...rows.value, { row: next.value, key: '', text: '' }]
    next.value += 1
  }
  const error = useFieldError(name)
  return (
    <fieldset class="pairs" aria-describedby={error && `${id}-error`}>
      <legend>{label}</legend>
      {rows.value.map(({ row, key, text }) => (
        <div key={row} class="pair">
          <input name={`${name}.key`} aria-label={t.ui.key} placeholder={t.ui.key} defaultValue={key} />
          <input name={`${name}.value`} aria-label={t.ui.value} placeholder={t.ui.value} defaultValue={text} />
          <button
            type="button"
            onClick={() => {
              rows.value = rows.value.filter((other) => other.row !== row)
            }}
          >
            {t.ui.remove}
          </button>
        </div>
      ))}
      {/* The form looks for a value of this name where the marketplace refuses one of the rows. */}
      <input type="hidden" name={name} value="rows" />
      <button type="button" onClick={add}>
        {t.ui.addRow}
      </button>
      <FieldMessage id={id} error={error} />
    </fieldset>
  )
}

/** The rows that have a key. A key that was typed twice, or a value without one, is the person's to correct. */
export function pairsOf(data: FormData, name: string): Record<string, string> {
  const values = data.getAll(`${name}.value`) as string[]
  const rows = (data.getAll(`${name}.key`) as string[]).map(
    (key, at) => [key.trim(), values[at]?.trim() ?? ''] as const,
  )
  const filled = rows.filter(([key, value]) => key !== '' || value !== '')
  const keys = new Set(filled.map(([key]) => key))
  if (keys.has('')) throw new FieldProblem(name, t.ui.keyMissing)
  if (keys.size < filled.length) throw new FieldProblem(name, t.ui.keyTwice)
  return Object.fromEntries(filled)
}
