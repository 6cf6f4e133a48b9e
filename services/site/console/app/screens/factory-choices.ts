import { useRef } from 'preact/hooks'
import { useAll, useRecord } from '../data.ts'
import { t } from '../texts.ts'

type Choice = readonly [id: string, name: string]

/**
 * The active factories of the organization to choose from, and the present one even if it is inactive. Undefined until
 * they were read. None disappears while the form is shown, so that the choice stays.
 */
export function useFactoryChoices(presentId = ''): readonly Choice[] | undefined {
  const { data: active } = useAll('/v1/factories', { query: { view: 'MANUFACTURER', active: true } })
  const isOther = presentId !== '' && active?.every(({ id }) => id !== presentId)
  const present = useRecord(isOther ? '/v1/factories/{id}' : undefined, { path: { id: presentId } })
  const choices = useRef(new Map<string, string>()).current
  if (!active || (isOther && !present.data && !present.error)) return choices.size > 0 ? [...choices] : undefined
  for (const { id, name } of active) choices.set(id, name)
  if (isOther) {
    const { name = presentId, active: isActive = true } = present.data ?? {}
    choices.set(presentId, isActive ? name : `${name} (${t.states.active.INACTIVE})`)
  }
  return [...choices]
}
