import { useLocation } from 'preact-iso/router'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { at, market, post, type Rfq, remove } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { is, mayUse, orgId, permits } from '../me.ts'
import { OrgName, orgName, partTitle } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Documents } from '../ui/documents.tsx'
import { Edit } from '../ui/edit.tsx'
import { PartFiles } from '../ui/files.tsx'
import { Field, localTime, timeOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Shown } from '../ui/states.tsx'
import { Timeline } from '../ui/timeline.tsx'
import { Acceptances, AfterAcceptance, ConfidentialityTerms, useOutlineFacts } from './confidentiality.tsx'
import { Conversations } from './conversations.tsx'
import { PartChanged } from './part-changes.tsx'
import { Questions } from './questions.tsx'
import { AwardOrders, MissingPieces } from './reaward.tsx'
import { EmailInvitations, useMissingInvitation } from './rfq-email-invitations.tsx'
import { patchRfq, RfqFields } from './rfq-form.tsx'
import { Invitations, Matches } from './rfq-invitations.tsx'
import { Amend, Decline, Declined, endedAccess, hasDeclined, PinnedPart, termFacts } from './rfq-terms.tsx'

/** The steps of the consumer, and the decline of an invited manufacturer. */
function Actions({ rfq }: { rfq: Rfq }) {
  const { route } = useLocation()
  const { id } = rfq
  const missing = useMissingInvitation(rfq)
  const may = (verb: keyof typeof RFQ.verbs) => mayUse(RFQ, verb, rfq)
  const read = () => market.GET('/v1/rfqs/{id}', at(id))
  const until = (verb: 'extend' | 'reopen') => (data: FormData) =>
    post(`/flows/v1/rfqs/{id}/${verb}`, id, { expireTime: timeOf(data, 'expireTime') ?? '' })
  const expiry = (
    <Field name="expireTime" label={t.rfqs.closes} type="datetime-local" value={localTime(rfq.expireTime)} isFocused />
  )
  const isCompared = rfq.consumerOrgId === orgId.value && rfq.state !== 'DRAFT'
  return (
    <>
      <Action
        label={t.verbs.delete}
        when={may('delete')}
        isDangerous
        onRun={async () => {
          await remove('/flows/v1/rfqs/{id}', { id })
          route('/console/rfqs')
        }}
      />
      <Action
        label={t.verbs.cancel}
        when={may('cancel') && rfq.state !== 'DRAFT'}
        isDangerous
        onRun={(data) => post('/flows/v1/rfqs/{id}/cancel', id, { reason: reasonOf(data) })}
      >
        <Reason />
      </Action>
      <Decline rfq={rfq} />
      <Edit
        label={t.verbs.patch}
        of={rfq.serialNumber}
        submit={t.ui.save}
        when={may('patch')}
        read={read}
        onRun={(data, unchanged) => patchRfq(id, data, unchanged)}
      >
        {(present) => <RfqFields rfq={present} isOwnPart={present.ipOwnerOrgId === orgId.value} />}
      </Edit>
      <Amend rfq={rfq} when={may('amend')} />
      <Action label={t.verbs.extend} when={may('extend')} onRun={until('extend')}>
        {expiry}
      </Action>
      <Action label={t.verbs.reopen} when={may('reopen')} onRun={until('reopen')}>
        {expiry}
      </Action>
      <Action
        label={t.verbs.close}
        hint={t.rfqs.closeHint}
        when={may('close')}
        onRun={() => post('/flows/v1/rfqs/{id}/close', id)}
      />
      <Edit
        label={t.verbs.publish}
        hint={missing === undefined && publishHint(rfq)}
        form={{ blockedBy: missing }}
        when={may('publish')}
        isPrimary
        read={read}
        onRun={(_, unchanged) => post('/flows/v1/rfqs/{id}/publish', id, undefined, unchanged)}
      />
      {isCompared && (
        <a class={rfq.missingQuantity ? 'button' : 'button primary'} href={`/console/rfqs/${id}/comparison`}>
          {t.comparison.title}
        </a>
      )}
      {is('invitee', rfq) && !hasDeclined(rfq) && (
        <a
          class={rfq.state === 'OPEN' && permits('POST /flows/v1/offers') ? 'button primary' : 'button'}
          href={`/console/rfqs/${id}/offer`}
        >
          {t.offer.title}
        </a>
      )}
    </>
  )
}

/** What the publication means, with the names of the manufacturers that it invites. */
const publishHint = ({ manufacturerIds }: Rfq) =>
  `${fill(t.rfqs.invitesNow, { makers: manufacturerIds.map(orgName).join(', ') })} ${t.rfqs.publishHint}`

const RfqFacts = ({ rfq }: { rfq: Rfq }) => (
  <Section title={t.rfqs.request}>
    <Facts
      of={[
        [t.rfqs.part, <PinnedPart key="part" {...rfq} />],
        ...useOutlineFacts(rfq),
        ...termFacts(rfq),
        [t.rfqs.ipOwner, <OrgName key="ip" id={rfq.ipOwnerOrgId} />],
        [t.ui.reason, rfq.reason],
      ]}
    />
    {rfq.requirements && <Facts of={[[t.rfqs.requirements, rfq.requirements]]} />}
  </Section>
)

/** The title of the part; the number until it is read, and where the part can no longer be read. */
const titleOf = ({ partId, serialNumber }: Rfq) => partTitle(partId, serialNumber)

export function RfqScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/v1/rfqs/{id}', { path: { id } })
  const history = useList('/v1/rfqs/{id}/history', { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(rfq) => (
        <Page
          title={titleOf(rfq)}
          over={
            <>
              <a href="/console/rfqs">{t.nav.rfqs}</a> · {rfq.serialNumber} · <OrgName id={rfq.consumerOrgId} />
              {rfq.packageId && (
                <>
                  {' '}
                  · <a href={`/console/packages/${rfq.packageId}`}>{t.packages.of}</a>
                </>
              )}
            </>
          }
          picture={<Picture kind="rfq" url={pictureOf(rfq)} alt="" size="large" />}
          badge={hasDeclined(rfq) ? <Badge of="invitation" state="DECLINED" /> : <Badge of="rfq" state={rfq.state} />}
          actions={<Actions rfq={rfq} />}
        >
          <div class="beside split">
            <div class="stack">
              <Declined rfq={rfq} />
              <MissingPieces rfq={rfq} />
              {rfq.partChanged && <PartChanged rfq={rfq} />}
              <RfqFacts rfq={rfq} />
              <ConfidentialityTerms rfq={rfq} />
              <Acceptances rfq={rfq} />
            </div>
            <div class="stack">
              {rfq.version !== undefined && (
                <div class="stack talk">
                  <Conversations rfqId={id} />
                </div>
              )}
              {!hasDeclined(rfq) && (
                <AfterAcceptance rfq={rfq}>
                  <Documents of="rfq" id={id} mayAdd={mayUse(RFQ, 'updateFiles', rfq)} />
                  <PartFiles partId={rfq.partId} revision={rfq.partRevision} ended={endedAccess(rfq)} />
                </AfterAcceptance>
              )}
              <Section title={t.timeline.title}>
                <Timeline of="rfq" entries={history} />
              </Section>
            </div>
            <div class="stack">
              {rfq.version !== undefined && (
                <AfterAcceptance rfq={rfq}>
                  <Questions rfq={rfq} />
                </AfterAcceptance>
              )}
              {['AWARDED', 'CLOSED'].includes(rfq.state) && <AwardOrders rfq={rfq} />}
              {rfq.consumerOrgId === orgId.value && (
                <>
                  <Invitations rfq={rfq} />
                  <EmailInvitations rfq={rfq} />
                  {['DRAFT', 'OPEN'].includes(rfq.state) && permits('GET /flows/v1/rfqs/{id}/matches') && (
                    <Matches rfq={rfq} />
                  )}
                </>
              )}
            </div>
          </div>
        </Page>
      )}
    </Shown>
  )
}
