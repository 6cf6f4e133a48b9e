import containment from 'cldr-core/supplemental/territoryContainment.json' with { type: 'json' }
import type { FieldError } from '../../../proto/errors.ts'
import { noSuch } from '../../../proto/messages.ts'

type Containment = Record<string, { _contains: readonly string[] } | undefined>

const CONTAINMENT: Containment = containment.supplemental.territoryContainment

/** Regions inside a region. Unicode CLDR lists those that belong to no single parent, such as `EU` in `001`, apart. */
const inside = (code: string): readonly string[] => [
  ...(CONTAINMENT[code]?._contains ?? []),
  ...(CONTAINMENT[`${code}-status-grouping`]?._contains ?? []),
]

const REGION = /^([A-Z]{2}|[0-9]{3})$/
const ISO_TERRITORY = /^[A-Z]{2}$/

/** The countries and territories that a region contains. */
const contents = (code: string): readonly string[] => {
  const parts = inside(code)
  return parts.length === 0 ? [code] : parts.flatMap(contents)
}

const TERRITORIES = new Set(contents('001').filter((code) => ISO_TERRITORY.test(code)))

/** Whether the code is a country or territory, which contains no other regions. */
export const isTerritory = (code: string): boolean => TERRITORIES.has(code)

/** The countries and territories of a region, or the one of the code itself; none for an unknown code. */
export const territoriesOf = (code: string): string[] =>
  REGION.test(code) ? [...new Set(contents(code))].filter(isTerritory) : []

/** The problem of a country in a request: a code that is no country or territory would match no filter. */
const territoryProblems = (field: string, code: string | undefined): FieldError[] =>
  code === undefined || isTerritory(code) ? [] : [{ field, message: noSuch('country or territory', code) }]

export const addressProblems = ({ address }: { address?: { regionCode: string } }): FieldError[] =>
  territoryProblems('address.regionCode', address?.regionCode)

export const deliveryProblems = ({ deliveryRegionCode }: { deliveryRegionCode?: string }): FieldError[] =>
  territoryProblems('deliveryRegionCode', deliveryRegionCode)
