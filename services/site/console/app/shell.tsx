import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { isConnected, market } from './api.ts'
import { useRecord } from './data.ts'
import { can, me, permits } from './me.ts'
import { signOut } from './session.ts'
import { fill, t } from './texts.ts'
import { Action } from './ui/dialog.tsx'
import { Field } from './ui/form.tsx'
import { Languages } from './ui/languages.tsx'
import { Shown } from './ui/states.tsx'

/** The screens of the navigation, for those who can use them. */
const SCREENS: readonly [path: string, label: string, isShown: () => boolean][] = [
  ['/console', t.nav.home, () => true],
  ['/console/rfqs', t.nav.rfqs, () => can('app:consumer', 'app:manufacturer', 'app:ip-owner')],
  [
    '/console/orders',
    t.nav.orders,
    () => can('app:consumer', 'app:manufacturer', 'app:ip-owner', 'app:seller', 'app:distributor'),
  ],
  ['/console/parts', t.nav.parts, () => can('app:consumer', 'app:ip-owner', 'app:manufacturer')],
  ['/console/subscriptions', t.nav.subscriptions, () => can('rfq:create', 'part:publish')],
  ['/console/factories', t.nav.factories, () => can('app:consumer', 'app:manufacturer')],
  ['/console/releases', t.nav.releases, () => permits('GET /flows/v1/factory-releases')],
  ['/console/customers', t.nav.customers, () => permits('GET /flows/v1/distributor/rfqs')],
  ['/console/sales-agreements', t.nav.agreements, () => can('app:manufacturer', 'app:seller')],
  ['/console/cases', t.nav.cases, () => permits('GET /flows/v1/cases')],
  ['/console/organization', t.nav.organization, () => can('org:admin', 'user:manage', 'role:manage')],
  ['/console/webhooks', t.nav.webhooks, () => permits('GET /v2.3/webhooks/endpoints')],
]

const Navigation = ({ path }: { path: string }) => (
  <nav aria-label={t.nav.label}>
    {SCREENS.filter(([, , isShown]) => isShown()).map(([address, label]) => {
      // Packages are reached from RFQs.
      const shown = path.replace('/console/packages', '/console/rfqs')
      const isCurrent = address === '/console' ? path === address : shown.startsWith(address)
      return (
        <a key={address} href={address} aria-current={isCurrent ? 'page' : undefined}>
          {label}
        </a>
      )
    })}
  </nav>
)

const isPasswordChanged = signal(false)

async function changePassword(data: FormData): Promise<void> {
  await market.POST('/flows/v1/password/change', {
    body: { currentPassword: String(data.get('currentPassword')), newPassword: String(data.get('newPassword')) },
  })
  isPasswordChanged.value = true
}

/** The organization and the person, at the top of every screen. */
const Who = () => (
  <p class="who">
    <strong>{me.value?.organization.name}</strong>
    <span class="quiet">
      {me.value?.user.givenName} {me.value?.user.familyName}
    </span>
  </p>
)

function Account() {
  const { impersonation } = me.value ?? {}
  return (
    <div class="account">
      <a href="/console/account">{t.account.title}</a>
      {!impersonation && (
        <Action label={t.account.changePassword} onRun={changePassword}>
          <Field
            name="currentPassword"
            label={t.account.current}
            type="password"
            autocomplete="current-password"
            isFocused
          />
          <Field
            name="newPassword"
            label={t.account.next}
            hint={t.account.nextHint}
            type="password"
            autocomplete="new-password"
          />
        </Action>
      )}
      {isPasswordChanged.value && <p role="status">{t.account.changed}</p>}
      <Languages />
      <button type="button" onClick={signOut}>
        {t.account.signOut}
      </button>
    </div>
  )
}

function Banners() {
  const { user, impersonation } = me.value ?? {}
  return (
    <div role="status">
      {impersonation && (
        <p class="banner acting">
          {fill(t.account.impersonation, {
            acting: impersonation.actingEmail,
            person: `${user?.givenName} ${user?.familyName}`,
          })}
        </p>
      )}
      {!isConnected.value && <p class="banner offline">{t.ui.offline}</p>}
    </div>
  )
}

/** What surrounds every screen: organization, person, navigation and what concerns the whole page. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const read = useRecord('/flows/v1/me', {})
  useEffect(() => {
    me.value = read.data
  }, [read.data])
  const first = useRef(path)
  // A new screen begins at its top, also for the keyboard.
  useEffect(() => {
    if (first.current === path) return
    first.current = ''
    scrollTo(0, 0)
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [path])
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {t.nav.skip}
      </a>
      <header class="bar">
        <a class="brand" href="/console">
          <img src="/favicon.ico" alt="" width="24" height="24" /> <span>{t.brand}</span>
        </a>
        <Who />
        <details class="menu" key={path} open={false}>
          <summary>{t.nav.menu}</summary>
          <div>
            <Navigation path={path} />
            <Account />
          </div>
        </details>
      </header>
      <aside>
        <Navigation path={path} />
        <Account />
      </aside>
      <div class="page">
        <Banners />
        <main id="content" tabIndex={-1}>
          {me.value ? children : <Shown read={read}>{() => null}</Shown>}
        </main>
      </div>
    </div>
  )
}
