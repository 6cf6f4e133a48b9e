import type { Rfq, RfqPackage } from '../api.ts'
import { useRecord } from '../data.ts'
import { t } from '../texts.ts'
import { Facts, Section } from '../ui/page.tsx'
import { commonFacts } from './rfq-terms.tsx'

const ORDER: readonly Rfq['state'][] = ['OPEN', 'CLOSED', 'DRAFT', 'AWARDED', 'CANCELLED']

/** The terms of the lines, as the first one has them that is furthest from its end. */
export function PackageTerms({ lines }: RfqPackage) {
  const [line] = lines
    .filter(({ awaitsAcceptance }) => !awaitsAcceptance)
    .toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state))
  const { data: rfq } = useRecord(line && '/v1/rfqs/{id}', { path: { id: line?.rfqId ?? '' } })
  if (!rfq) return null
  return (
    <Section title={t.packages.ofLines}>
      <Facts of={commonFacts(rfq)} />
      {rfq.requirements && (
        <>
          <h3>{t.rfqs.requirements}</h3>
          <p class="text">{rfq.requirements}</p>
        </>
      )}
    </Section>
  )
}
