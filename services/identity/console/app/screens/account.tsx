import { command, market } from '../api.ts'
import { useRecord } from '../data.ts'
import { me } from '../me.ts'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Facts, Page, Section } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'

const PATH = '/flows/v1/me/notification-settings'

/** The person who is signed in, with their own notifications. */
export function Account() {
  const settings = useRecord(PATH, {})
  const { user, organization, impersonation } = me.value ?? {}
  return (
    <Page title={t.account.title} over={organization?.name ?? ''}>
      <Section title={t.account.person}>
        <Facts
          of={[
            [t.people.name, `${user?.givenName} ${user?.familyName}`],
            [t.signIn.email, user?.email],
          ]}
        />
      </Section>
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
        <Shown read={settings}>{({ mail }) => <p>{mail ? t.account.mailIsOn : t.account.mailIsOff}</p>}</Shown>
      </Section>
    </Page>
  )
}
