import { useId } from 'preact/hooks'

interface SwitchProps {
  name: string
  label: string
  hint: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

/** A checkbox on which other parts of its form depend. */
export function Switch({ name, label, hint, isOn, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div class="field check">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="checkbox"
        aria-describedby={`${id}-hint`}
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <small id={`${id}-hint`} class="quiet">
        {hint}
      </small>
    </div>
  )
}
