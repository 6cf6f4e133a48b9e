import { signal } from '@preact/signals'
import { command, market } from '../api.ts'
import { useRecord } from '../data.ts'
import { me } from '../me.ts'
import { personName } from '../names.tsx'
import { t } from '../texts.ts'
import { CopyButton } from '../ui/copied.tsx'
import { Action } from '../ui/dialog.tsx'
import { Address, Facts, Page, Section } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { Passkeys } from './account-passkeys.tsx'

const PATH = '/flows/v1/me/notification-settings'

const isSent = signal(false)

/** An address is proved once, because an administrator entered it. */
const Unproved = () => (
  <>
    <p>{t.account.unproved}</p>
    <Action
      label={t.account.prove}
      when={!me.value?.impersonation}
      onRun={async () => {
        await command(() => market.POST(`${PATH}/send-confirmation`, {}))
        isSent.value = true
      }}
    />
    {isSent.value && <p role="status">{t.account.proofSent}</p>}
  </>
)

/** The id of the organization, by which others name it. */
const OwnId = ({ id }: { id: string }) => (
  <>
    <code>{id}</code> <CopyButton value={id} />
  </>
)

/** The person who is signed in, with their own notifications. */
export function Account() {
  const settings = useRecord(PATH, {})
  const { user, organization, impersonation } = me.value ?? {}
  return (
    <Page title={t.account.title} over={organization?.name ?? ''}>
      <Section title={t.account.person}>
        <Facts
          of={[
            [t.people.name, user && personName(user)],
            [t.signIn.email, user && <Address key="email" of={user.email} />],
          ]}
        />
      </Section>
      {organization && (
        <Section title={t.account.organization}>
          <p class="quiet">{t.account.organizationHint}</p>
          <Facts
            of={[
              [t.people.name, organization.name],
              [t.account.organizationId, <OwnId key="id" id={organization.id} />],
            ]}
          />
        </Section>
      )}
      <Passkeys />
      <Section
        title={t.account.notifications}
        actions={
          settings.data && (
            <Action
              label={settings.data.mail ? t.account.mailOff : t.account.mailOn}
              hint={t.account.mailHint}
              when={!impersonation}
              onRun={() => command(() => market.PATCH(PATH, { body: { mail: !settings.data?.mail } }))}
            />
          )
        }
      >
        <Shown read={settings}>
          {({ mail, proved }) => (
            <>
              <p>{mail ? t.account.mailIsOn : t.account.mailIsOff}</p>
              {mail && !proved && <Unproved />}
            </>
          )}
        </Shown>
      </Section>
    </Page>
  )
}
