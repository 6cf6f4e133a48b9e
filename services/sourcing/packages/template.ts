import type { RfqPackageLine } from '../../../proto/http/sourcing/rfq-packages.ts'
import { csvOf } from '../../kit/csv/write.ts'
import { COLUMNS } from './offer-csv.ts'

/** A file with a row for each quantity of each line that a manufacturer may offer for. */
export function templateOf(lines: readonly RfqPackageLine[]): string {
  const offered = lines.filter(
    ({ state, invitationState, awaitsAcceptance }) =>
      state === 'OPEN' && invitationState !== 'DECLINED' && !awaitsAcceptance,
  )
  const rows = offered.flatMap(({ rfqId, serialNumber, partTitle = '', quantities }) =>
    quantities.map(
      (quantity): Partial<Record<string, string | number>> => ({
        rfqId,
        serialNumber,
        partTitle,
        quantity,
        minQuantity: quantity,
      }),
    ),
  )
  return csvOf([[...COLUMNS], ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ''))])
}
