import type { ComponentChildren } from 'preact'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { post, type Rfq, type RfqAcceptance } from '../api.ts'
import { labelIn, processes } from '../catalogs.ts'
import { useList, useRecord } from '../data.ts'
import { number, time } from '../format.ts'
import { is, mayUse, orgId } from '../me.ts'
import { OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { ListTable } from '../ui/list.tsx'
import { Facts, Section } from '../ui/page.tsx'
import { ReleasedFiles } from './released-files.tsx'
import { hasDeclined } from './rfq-terms.tsx'

const useAcceptances = (rfq: Rfq) =>
  useList(
    rfq.confidentialityTerms === undefined || rfq.state === 'DRAFT' ? undefined : '/flows/v1/rfqs/{id}/acceptances',
    { path: { id: rfq.id } },
    (one) => one.manufacturerOrgId,
  )

type Standing = 'free' | 'unknown' | 'pending' | 'accepted'

/** Whether the caller's organization is invited and has accepted the terms, which come before its offer. */
export function useStanding(rfq: Rfq): Standing {
  const { data } = useAcceptances(rfq)
  if (rfq.confidentialityTerms === undefined || !is('invitee', rfq)) return 'free'
  if (data === undefined) return 'unknown'
  return data.some((one) => one.manufacturerOrgId === orgId.value) ? 'accepted' : 'pending'
}

/** What an invited manufacturer reads of the part before it accepts the terms, beside the title and the quantities. */
export function useOutlineFacts(rfq: Rfq): (readonly [label: string, value: string | undefined])[] {
  const isPending = useStanding(rfq) === 'pending' && !hasDeclined(rfq)
  const { data: part } = useRecord(isPending ? '/v1/parts/{id}' : undefined, { path: { id: rfq.partId } })
  if (!part) return []
  return [
    [t.parts.materialType, part.materialType && t.materialTypes[part.materialType]],
    [t.parts.process, labelIn(processes(), part.processId)],
  ]
}

/** Whether files are released and of which revision, and when the release ends or has ended. */
function releaseOf(rfq: Rfq, acceptance: RfqAcceptance) {
  const released = releasedOf(rfq, acceptance)
  if (rfq.state !== 'AWARDED') return released
  return released ? `${released}. ${t.confidentiality.untilConfirmed}` : t.confidentiality.endedByAward
}

const releasedOf = ({ partRevision = 0 }: Rfq, { filesReleasedTime, filesReleasedRevision }: RfqAcceptance) => {
  if (filesReleasedTime === undefined) return undefined
  const isOlder = filesReleasedRevision !== undefined && filesReleasedRevision < partRevision
  if (!isOlder) return time(filesReleasedTime)
  const revisions = { released: number(filesReleasedRevision), current: number(partRevision) }
  return `${time(filesReleasedTime)}. ${fill(t.confidentiality.releasedOlder, revisions)}`
}

/** Whether files of the revision that the RFQ pins may lack a release. */
const lacksRelease = ({ partRevision = 0 }: Rfq, { filesReleasedTime, filesReleasedRevision = 0 }: RfqAcceptance) =>
  filesReleasedTime === undefined || filesReleasedRevision < partRevision

/** Says that the caller's organization cannot read the confidential files that are new in the pinned revision. */
export function useMissingRelease(rfq: Rfq): string | undefined {
  const { data } = useAcceptances(rfq)
  const { partRevision = 0 } = rfq
  const { filesReleasedRevision: released } = data?.find((one) => one.manufacturerOrgId === orgId.value) ?? {}
  if (released === undefined || released >= partRevision) return undefined
  return fill(t.confidentiality.releasedOlder, { released: number(released), current: number(partRevision) })
}

/** What an invited manufacturer reads once it has accepted the terms. */
export function AfterAcceptance({ rfq, children }: { rfq: Rfq; children: ComponentChildren }) {
  const standing = useStanding(rfq)
  if (standing === 'free' || standing === 'accepted') return <>{children}</>
  return standing === 'pending' && !hasDeclined(rfq) ? <p class="hint">{t.confidentiality.afterAcceptance}</p> : null
}

/** The terms, and for an invited manufacturer the button that accepts them. */
export function ConfidentialityTerms({ rfq }: { rfq: Rfq }) {
  const { data } = useAcceptances(rfq)
  const isPending = useStanding(rfq) === 'pending'
  if (rfq.confidentialityTerms === undefined) return null
  const own = is('invitee', rfq) ? data?.find((one) => one.manufacturerOrgId === orgId.value) : undefined
  return (
    <Section
      title={t.confidentiality.terms}
      actions={
        <Action
          label={t.confidentiality.accept}
          hint={t.confidentiality.acceptHint}
          when={isPending && !hasDeclined(rfq) && mayUse(RFQ, 'acceptTerms', rfq)}
          isPrimary
          onRun={() => post('/flows/v1/rfqs/{id}/accept-terms', rfq.id)}
        >
          <p class="text">{rfq.confidentialityTerms}</p>
        </Action>
      }
    >
      {isPending && !hasDeclined(rfq) && <p class="hint">{t.confidentiality.pending}</p>}
      <p class="text">{rfq.confidentialityTerms}</p>
      {own && (
        <Facts
          of={[
            [t.confidentiality.accepted, time(own.acceptedTime)],
            [t.confidentiality.released, releaseOf(rfq, own)],
          ]}
        />
      )}
    </Section>
  )
}

function ReleaseSteps({ rfq, acceptance }: { rfq: Rfq; acceptance: RfqAcceptance }) {
  const body = { manufacturerIds: [acceptance.manufacturerOrgId] }
  const isOut = acceptance.filesReleasedTime !== undefined
  return (
    <div class="actions">
      <Action
        label={t.confidentiality.release}
        hint={t.confidentiality.releaseHint}
        when={lacksRelease(rfq, acceptance) && mayUse(RFQ, 'releaseFiles', rfq)}
        onRun={() => post('/flows/v1/rfqs/{id}/release-files', rfq.id, body)}
      >
        <ReleasedFiles {...rfq} {...body} />
      </Action>
      <Action
        label={t.confidentiality.withdraw}
        hint={t.confidentiality.withdrawHint}
        when={isOut && mayUse(RFQ, 'withdrawFiles', rfq)}
        isDangerous
        onRun={() => post('/flows/v1/rfqs/{id}/withdraw-files', rfq.id, body)}
      >
        <ReleasedFiles {...rfq} {...body} />
      </Action>
    </div>
  )
}

/** Whether files are released: to those that have accepted, or by the publication to those that will. */
const hasReleases = ({ releaseFiles, state }: Rfq, accepted: readonly RfqAcceptance[]) =>
  accepted.some((one) => one.filesReleasedTime !== undefined) ||
  (releaseFiles === true && accepted.length === 0 && state !== 'AWARDED')

/** Who has accepted the terms, and who can read the confidential files. */
export function Acceptances({ rfq }: { rfq: Rfq }) {
  const list = useAcceptances(rfq)
  if (rfq.confidentialityTerms === undefined || rfq.state === 'DRAFT' || is('invitee', rfq)) return null
  return (
    <Section
      title={t.confidentiality.acceptances}
      actions={
        <Action
          label={t.confidentiality.withdrawAll}
          hint={t.confidentiality.withdrawAllHint}
          when={mayUse(RFQ, 'withdrawFiles', rfq) && hasReleases(rfq, list.data ?? [])}
          isDangerous
          onRun={() => post('/flows/v1/rfqs/{id}/withdraw-files', rfq.id)}
        />
      }
    >
      <ListTable
        caption={t.confidentiality.acceptances}
        list={list}
        idOf={(one) => one.manufacturerOrgId}
        empty={t.confidentiality.none}
        columns={[
          { label: t.rfqs.manufacturer, cell: (one) => <OrgName id={one.manufacturerOrgId} /> },
          {
            label: t.confidentiality.accepted,
            cell: (one) => (
              <>
                {time(one.acceptedTime)}{' '}
                <small class="quiet">
                  {fill(t.confidentiality.digest, { digest: `${one.termsSha256.slice(0, 12)}…` })}
                </small>
              </>
            ),
          },
          {
            label: t.confidentiality.released,
            cell: (one) => releaseOf(rfq, one),
          },
          { label: t.ui.actions, cell: (one) => <ReleaseSteps rfq={rfq} acceptance={one} /> },
        ]}
      />
    </Section>
  )
}
