import type { FactoryMatch } from '../api.ts'
import { criticalities, labelIn, materials, standards, technologies } from '../catalogs.ts'
import { number } from '../format.ts'
import { fill, t } from '../texts.ts'

type Requirement = FactoryMatch['requirements'][number]

/** What qualifies a factory: the release, the material and the technology. */
const QUALIFYING: readonly Requirement['requirement'][] = ['released', 'material', 'technology']

const isLacking = ({ requirement, met }: Requirement) => !met && QUALIFYING.includes(requirement)

/** Whether a factory lacks what qualifies it. */
export const isUnsuitable = ({ requirements }: FactoryMatch) => requirements.some(isLacking)

export const missedOf = ({ requirements }: FactoryMatch) => requirements.filter(({ met }) => !met).length

/** What the values of a missed requirement are. */
const VALUES = {
  released: () => [],
  material: materials,
  technology: technologies,
  standards,
  criticalities,
  envelope: () => Object.entries(t.parts.axes),
}

/** A part that names only a family of materials may need any of many. */
const MAX_VALUES = 3

/** Why a factory does not meet a requirement. */
function missText({ requirement, miss, reason = t.rfqs.missed }: Requirement): string {
  if (!miss) return reason
  const { code, materialCode, technologyId, values = [] } = miss
  const names = values.slice(0, MAX_VALUES).map((value) => labelIn(VALUES[requirement](), value))
  return fill(t.rfqs.misses[code], {
    capability: capabilityText({ materialCode, technologyId }),
    values: [...names, ...(values.length > MAX_VALUES ? ['…'] : [])].join(', '),
  })
}

interface CapabilityCodes {
  materialCode?: string | undefined
  technologyId?: string | undefined
}

const capabilityText = ({ materialCode, technologyId }: CapabilityCodes) =>
  `${labelIn(technologies(), technologyId)} · ${labelIn(materials(), materialCode)}`

const withName = (each: Requirement, text: string) => `${t.rfqs.requirement[each.requirement]}: ${text}`

/** Why a factory does not qualify. */
export const unsuitableBecause = ({ requirements }: FactoryMatch) =>
  requirements
    .filter(isLacking)
    .map((each) => withName(each, missText(each)))
    .join('; ')

const sizeText = (box: { x?: number; y?: number; z?: number }) =>
  [box.x, box.y, box.z].map((length) => (length === undefined ? '∞' : number(Math.round(length * 10) / 10))).join(' × ')

/** How a measured part lies in the envelope of a capability. */
function fitText({ fit }: Requirement): string | undefined {
  if (!fit) return undefined
  const { box, envelope, excess } = fit
  if (!envelope) return t.viewer.fitsAny
  const values = { box: sizeText(box), envelope: sizeText(envelope), excess: number(excess ?? 0) }
  return fill(excess === undefined ? t.viewer.fits : t.viewer.exceeds, values)
}

/** What a factory meets and misses, in words. */
export const Requirements = ({ match }: { match: FactoryMatch }) => (
  <>
    {isUnsuitable(match) && <p class="hint">{t.rfqs.unsuitable}</p>}
    <ul class="marks">
      {match.requirements.map((each) => (
        <li key={each.requirement} class={each.met ? 'met' : 'missed'}>
          {withName(each, fitText(each) ?? (each.met ? t.rfqs.met : missText(each)))}
          {each.requirement === 'technology' && each.capability && (
            <small class="quiet"> {capabilityText(each.capability)}</small>
          )}
        </li>
      ))}
    </ul>
  </>
)
