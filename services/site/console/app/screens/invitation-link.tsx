import { useSignal } from '@preact/signals'
import { command, type EmailInvitationLink, market, publicMarket } from '../api.ts'
import { time } from '../format.ts'
import { forgetInvitation, INVITATION_SIGN_IN, invitationToken } from '../invitation-link.ts'
import { me, permits } from '../me.ts'
import { REGISTRATION_PATH, registrationMode } from '../registration-mode.ts'
import { fill, t } from '../texts.ts'
import { Form } from '../ui/form.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Loading, Missing } from '../ui/states.tsx'
import { Alone, TryAgain, useLink } from './registration.tsx'

const introspect = (token: string) => publicMarket.POST('/flows/v1/email-invitations/introspect', { body: { token } })
const useInvitation = () => useLink<EmailInvitationLink>(invitationToken(), introspect)

const titleOf = ({ consumerName }: EmailInvitationLink) => fill(t.invitationLink.title, { consumer: consumerName })
const leadOf = ({ rfqSerialNumber, expireTime }: EmailInvitationLink) =>
  fill(t.invitationLink.lead, { number: rfqSerialNumber, until: time(expireTime) })

/** What a visitor reads, who signs in or registers a company. */
export function InvitationVisitor() {
  const { link, retry } = useInvitation()
  if (!link) return <Loading />
  if (link === 'failed') {
    return (
      <Alone title={t.invitationLink.forYou}>
        <TryAgain onClick={retry} />
      </Alone>
    )
  }
  if (link === 'invalid') return <Alone title={t.invitationLink.invalid} lead={t.invitationLink.invalidHint} />
  return (
    <Alone title={titleOf(link)} lead={leadOf(link)} signInPath={INVITATION_SIGN_IN}>
      <p>{t.invitationLink.signInHint}</p>
      <p>
        {registrationMode === 'closed' ? (
          t.invitationLink.closedHint
        ) : (
          <>
            {t.invitationLink.registerHint} <a href={REGISTRATION_PATH}>{t.registrations.link}</a>
          </>
        )}
      </p>
    </Alone>
  )
}

/** What an administrator decides for the own organization. */
export function InvitationScreen() {
  const { link, retry } = useInvitation()
  const isSent = useSignal(false)
  const redeem = async () => {
    await command(() => market.POST('/flows/v1/email-invitations/redeem', { body: { token: invitationToken() } }))
    forgetInvitation()
    isSent.value = true
  }
  if (!link) return <Loading shape="screen" />
  if (link === 'invalid') return <Missing isScreen hint={t.invitationLink.invalidHint} />
  if (link === 'failed') {
    return (
      <Page title={t.invitationLink.forYou}>
        <TryAgain onClick={retry} />
      </Page>
    )
  }
  const parties = { consumer: link.consumerName, company: me.value?.organization.name ?? '' }
  return (
    <Page title={titleOf(link)}>
      <Section title={t.invitationLink.forYou}>
        {isSent.value ? (
          <p role="status">{fill(t.invitationLink.sent, parties)}</p>
        ) : permits('POST /flows/v1/email-invitations/redeem') ? (
          <>
            <p>{leadOf(link)}</p>
            <p class="quiet">{fill(t.invitationLink.redeemHint, parties)}</p>
            <Form submit={fill(t.invitationLink.redeem, parties)} onSend={redeem} />
          </>
        ) : (
          <p>{fill(t.invitationLink.needsAdministrator, parties)}</p>
        )}
      </Section>
    </Page>
  )
}
