import type { PackageComparison, RfqPackage } from '../api.ts'

export type Choice = PackageComparison['choices'][number]

/** The title of the part of a line, or the RFQ where the part has none. */
export const titleOf = ({ partTitle, rfqId }: { partTitle?: string; rfqId: string }) => partTitle ?? rfqId

type Line = PackageComparison['lines'][number]

/** Whether a line can still become an order. */
export const isAwardable = ({ state }: Line) => state === 'OPEN' || state === 'CLOSED'

export const mayAward = ({ state, isOutdated, landedTotal }: Line['offers'][number]) =>
  state === 'SUBMITTED' && !isOutdated && landedTotal !== undefined

/** The title of the part of a line of a package, or its serial number where the part has none. */
export const partOf = ({ partTitle, serialNumber }: RfqPackage['lines'][number]) => partTitle ?? serialNumber
