import { signal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { isConnected, market } from './api.ts'
import { useRecord } from './data.ts'
import { me } from './me.ts'
import { personName } from './names.tsx'
import { isCurrent, screenGroups, screens } from './screens.ts'
import { signOut } from './session.ts'
import { isBusy } from './settling.ts'
import { fill, t } from './texts.ts'
import { Action } from './ui/dialog.tsx'
import { Field } from './ui/form.tsx'
import { Icon } from './ui/icon.tsx'
import { overlay, useKeys } from './ui/keys.ts'
import { Languages } from './ui/languages.tsx'
import { Overlay } from './ui/palette.tsx'
import { Shown } from './ui/states.tsx'

const Entry = ({ screen, path }: { screen: ReturnType<typeof screens>[number]; path: string }) => (
  <a href={screen.path} aria-current={isCurrent(screen.path, path) ? 'page' : undefined}>
    <Icon name={screen.icon} />
    {screen.label}
  </a>
)

const Navigation = ({ path }: { path: string }) => (
  <nav aria-label={t.nav.label}>
    {screenGroups().map(([label, group]) => (
      <Fragment key={label}>
        {label && <p class="group">{label}</p>}
        {group.map((screen) => (
          <Entry key={screen.path} screen={screen} path={path} />
        ))}
      </Fragment>
    ))}
  </nav>
)

const MAX_THUMB = 5

/** The first screens where the thumb is, and the others with the account in a sheet above them. */
function Thumb({ path }: { path: string }) {
  const all = screens()
  return (
    <nav class="thumb" aria-label={t.nav.label}>
      {all.slice(0, MAX_THUMB).map((screen) => (
        <Entry key={screen.path} screen={screen} path={path} />
      ))}
      <details key={path} open={false}>
        <summary>
          <Icon name="menu" />
          {t.nav.menu}
        </summary>
        <div class="sheet-nav">
          {all.slice(MAX_THUMB).map((screen) => (
            <Entry key={screen.path} screen={screen} path={path} />
          ))}
          <Account />
        </div>
      </details>
    </nav>
  )
}

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
    <span class="quiet">{me.value && personName(me.value.user)}</span>
  </p>
)

function Account() {
  const { impersonation } = me.value ?? {}
  return (
    <div class="account">
      <a href="/console/account">
        <Icon name="user" size={16} />
        {t.account.title}
      </a>
      {!impersonation && (
        <Action label={t.account.changePassword} icon="key-round" onRun={changePassword}>
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
        <Icon name="log-out" size={16} />
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
            person: user ? personName(user) : '',
          })}
        </p>
      )}
      {!isConnected.value && (
        <p class="banner offline">
          <Icon name="wifi-off" /> {t.ui.offline}
        </p>
      )}
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
  useKeys()
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
      <aside class="side">
        <header class="bar">
          <a class="brand" href="/console">
            <img src="/favicon.ico" alt="" width="24" height="24" /> <span>{t.brand}</span>
          </a>
          <Who />
          <button
            type="button"
            class="find"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={() => {
              overlay.value = 'palette'
            }}
          >
            <Icon name="search" size={16} />
            <span>{t.palette.open}</span> <kbd>Ctrl K</kbd>
          </button>
        </header>
        <Navigation path={path} />
        <Account />
      </aside>
      <div class="page">
        <Banners />
        <main id="content" tabIndex={-1} aria-busy={isBusy}>
          {me.value ? (
            children
          ) : (
            <Shown isScreen read={read}>
              {() => null}
            </Shown>
          )}
        </main>
      </div>
      <Thumb path={path} />
      <Overlay />
    </div>
  )
}
