import { type ComponentType, render } from 'preact'
import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { INVITATION_PATH, isInvitationOfVisitor } from './invitation-link.ts'
import { REGISTRATION_PATH } from './registration-mode.ts'
import { Home } from './screens/home.tsx'
import { SignIn, SignInAgain } from './screens/sign-in.tsx'
import { session } from './session.ts'
import { isScreenLoading } from './settling.ts'
import { Shell } from './shell.tsx'
import { comeBack } from './sso.ts'
import { t } from './texts.ts'
import { refuseDropsBesideFields } from './ui/drops.ts'
import { askBeforeLeaving } from './ui/half-filled.ts'
import { Missing, Problem } from './ui/states.tsx'

type Screens = typeof import('./screens/all.ts')

/** Loads the other screens. After an update of the marketplace their script has another name, so the page is loaded again. */
const loadScreens = () =>
  import('./screens/all.ts').catch((error) => {
    const isNew = Date.now() - Number(sessionStorage.getItem('reloaded') ?? 0) > 60_000
    if (isNew && navigator.onLine) {
      sessionStorage.setItem('reloaded', String(Date.now()))
      location.reload()
    }
    throw error
  })

const screen = (name: keyof Screens) =>
  lazy(() =>
    loadScreens().then(
      (screens) => screens[name] as ComponentType,
      (error) => () => <Problem error={error} isScreen />,
    ),
  )

const Registration = screen('Registration')
const InvitationVisitor = screen('InvitationVisitor')

/** The screens by their addresses. */
const ROUTES: Readonly<Record<string, ComponentType>> = {
  '/console': Home,
  '/console/rfqs': screen('Rfqs'),
  '/console/rfqs/new': screen('NewRfq'),
  '/console/rfqs/:id': screen('RfqScreen'),
  '/console/rfqs/:id/comparison': screen('Comparison'),
  '/console/rfqs/:id/offer': screen('OfferScreen'),
  [INVITATION_PATH]: screen('InvitationScreen'),
  '/console/packages': screen('Packages'),
  '/console/packages/new': screen('NewPackage'),
  '/console/packages/:id': screen('PackageScreen'),
  '/console/orders': screen('Orders'),
  '/console/orders/:id': screen('OrderScreen'),
  '/console/parts': screen('Parts'),
  '/console/parts/import': screen('PartImportScreen'),
  '/console/parts/:id': screen('PartScreen'),
  '/console/subscriptions': screen('Subscriptions'),
  '/console/factories': screen('Factories'),
  '/console/factories/:id': screen('FactoryScreen'),
  '/console/releases': screen('Releases'),
  '/console/sales-agreements': screen('Agreements'),
  '/console/customers': screen('CustomerRfqs'),
  '/console/cases': screen('Cases'),
  '/console/cases/:id': screen('CaseScreen'),
  '/console/organization': screen('People'),
  '/console/organization/impersonation': screen('Impersonation'),
  '/console/organization/roles': screen('Roles'),
  '/console/organization/service-accounts': screen('ServiceAccounts'),
  '/console/organization/identity-providers': screen('IdentityProviders'),
  '/console/organization/sign-in': screen('SignInSettings'),
  '/console/organization/mail': screen('MailAddresses'),
  '/console/organization/registrations': screen('Registrations'),
  '/console/organization/audit-log': screen('AuditLog'),
  '/console/account': screen('Account'),
  '/console/webhooks': screen('Webhooks'),
  '/console/webhooks/:id': screen('WebhookScreen'),
}

const setScreenLoading = (isLoading: boolean) => {
  isScreenLoading.value = isLoading
}

const NotFound = () => <Missing isScreen hint={t.ui.noScreenHint} />

const App = () =>
  location.pathname === REGISTRATION_PATH ? (
    <ErrorBoundary>
      <Registration />
    </ErrorBoundary>
  ) : session.value === 'none' && isInvitationOfVisitor() ? (
    <ErrorBoundary>
      <InvitationVisitor />
    </ErrorBoundary>
  ) : session.value === 'none' ? (
    <SignIn />
  ) : (
    <LocationProvider scope="/console">
      <Shell>
        <ErrorBoundary>
          <Router onLoadStart={() => setScreenLoading(true)} onLoadEnd={() => setScreenLoading(false)}>
            {Object.entries(ROUTES).map(([path, component]) => (
              <Route key={path} path={path} component={component} />
            ))}
            <Route default component={NotFound} />
          </Router>
        </ErrorBoundary>
      </Shell>
      <SignInAgain />
    </LocationProvider>
  )

refuseDropsBesideFields()
askBeforeLeaving()
await comeBack()
const root = document.getElementById('console')
// What the page shows before its scripts are there gives way to the first screen.
root?.replaceChildren()
if (root) render(<App />, root)

// A page that begins at another screen needs it at once, and others will need one soon.
if (location.pathname !== '/console') void loadScreens().catch(() => {})
else addEventListener('load', () => setTimeout(() => void loadScreens().catch(() => {}), 2000))
