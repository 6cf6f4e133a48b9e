import { command, market } from '../api.ts'
import { useRecord } from '../data.ts'
import { permits } from '../me.ts'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Shown } from '../ui/states.tsx'
import { OrganizationPage } from './organization.tsx'

const PATH = '/flows/v1/sign-in-settings'

/** Whether people of the organization need a passkey. */
export function SignInSettings() {
  const settings = useRecord(PATH, {})
  return (
    <OrganizationPage>
      <Shown read={settings}>
        {({ secondFactor }) => (
          <>
            <p>{secondFactor ? t.signInSettings.on : t.signInSettings.off}</p>
            <p class="quiet">{t.signInSettings.who}</p>
            <div class="actions">
              <Action
                label={secondFactor ? t.signInSettings.turnOff : t.signInSettings.turnOn}
                hint={secondFactor ? t.signInSettings.turnOffHint : t.signInSettings.turnOnHint}
                when={permits('PATCH /flows/v1/sign-in-settings')}
                isDangerous={secondFactor}
                isPrimary={!secondFactor}
                onRun={() => command(() => market.PATCH(PATH, { body: { secondFactor: !secondFactor } }))}
              />
            </div>
          </>
        )}
      </Shown>
    </OrganizationPage>
  )
}
