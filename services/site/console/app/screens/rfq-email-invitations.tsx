import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { type EmailInvitation, post, type Rfq } from '../api.ts'
import { useList } from '../data.ts'
import { region, time } from '../format.ts'
import { mayUse, orgId, permits } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { ListTable } from '../ui/list.tsx'
import { Address, Badge, Section } from '../ui/page.tsx'

/** The addresses in a text, which people separate by spaces, commas, semicolons or lines. */
const addressesIn = (text: string) => text.split(/[\s,;]+/).filter(Boolean)

const InviteByEmail = ({ rfq }: { rfq: Rfq }) => (
  <Action
    label={t.rfqs.inviteByEmail}
    hint={t.rfqs.inviteByEmailHint}
    submit={t.verbs.invite}
    when={mayUse(RFQ, 'invite', rfq)}
    onRun={(data) => post('/flows/v1/rfqs/{id}/invite', rfq.id, { emails: addressesIn(textOf(data, 'emails') ?? '') })}
  >
    <Field name="emails" label={t.rfqs.emails} hint={t.rfqs.emailsHint} rows={3} isFocused />
  </Action>
)

const decide =
  (verb: 'confirm' | 'revoke', { id: invitationId, rfqId: id }: EmailInvitation) =>
  () =>
    post(`/flows/v1/rfqs/{id}/email-invitations/{invitationId}/${verb}`, { id, invitationId })

/** The name and country of the organization that used the link. */
const companyOf = ({ orgName = '', orgRegionCode }: EmailInvitation) =>
  orgRegionCode === undefined ? orgName : `${orgName}, ${region(orgRegionCode)}`

function Decision({ rfq, invitation }: { rfq: Rfq; invitation: EmailInvitation }) {
  const { state, email } = invitation
  const may = mayUse(RFQ, 'invite', rfq)
  return (
    <div class="actions">
      <Action
        label={t.rfqs.confirmInvitation}
        hint={fill(t.rfqs.confirmInvitationHint, { company: companyOf(invitation), email })}
        when={may && state === 'REDEEMED'}
        onRun={decide('confirm', invitation)}
      />
      <Action
        label={t.rfqs.revokeInvitation}
        hint={email}
        when={isLive(invitation) && permits('POST /flows/v1/rfqs/{id}/invite')}
        isDangerous
        onRun={decide('revoke', invitation)}
      />
    </div>
  )
}

const mayList = () => permits('GET /flows/v1/rfqs/{id}/email-invitations')

const useEmailInvitations = ({ id, consumerOrgId }: Rfq) =>
  useList(
    mayList() && consumerOrgId === orgId.value ? '/flows/v1/rfqs/{id}/email-invitations' : undefined,
    { path: { id }, query: {} },
    (one) => one.id,
  )

/** Whether an invited address may still become an invited manufacturer. */
const isLive = ({ state }: EmailInvitation) => state === 'PENDING' || state === 'REDEEMED'

/** Who has to be invited before a draft can be published; undefined where somebody is. */
export function useMissingInvitation(rfq: Rfq): string | undefined {
  const { data } = useEmailInvitations(rfq)
  if (rfq.manufacturerIds.length > 0) return undefined
  return data?.some(isLive) ? t.rfqs.noneConfirmed : t.rfqs.inviteFirst
}

/** The addresses that were invited to an RFQ, and the organizations that used their links. */
export function EmailInvitations({ rfq }: { rfq: Rfq }) {
  const list = useEmailInvitations(rfq)
  if (!mayList() || (!mayUse(RFQ, 'invite', rfq) && !list.data?.length)) return null
  return (
    <Section title={t.rfqs.emailInvitations} actions={<InviteByEmail rfq={rfq} />}>
      <ListTable
        caption={t.rfqs.emailInvitations}
        list={list}
        idOf={({ id }) => id}
        empty={t.rfqs.noEmailInvitations}
        columns={[
          { label: t.rfqs.email, cell: ({ email }) => <Address of={email} /> },
          { label: t.rfqs.manufacturer, cell: companyOf },
          {
            label: t.ui.since,
            cell: (one) => <span class="day">{time(one.decidedTime ?? one.redeemedTime ?? one.createdTime)}</span>,
          },
          {
            label: t.ui.state,
            cell: (one) => (
              <div class="decided">
                <Badge of="emailInvitation" state={one.state} />
                <Decision rfq={rfq} invitation={one} />
              </div>
            ),
          },
        ]}
      />
    </Section>
  )
}
