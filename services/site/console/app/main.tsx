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

const Account = screen('Account')
const Agreements = screen('Agreements')
const AuditLog = screen('AuditLog')
const CaseScreen = screen('CaseScreen')
const Cases = screen('Cases')
const Comparison = screen('Comparison')
const CustomerRfqs = screen('CustomerRfqs')
const Factories = screen('Factories')
const FactoryScreen = screen('FactoryScreen')
const InvitationScreen = screen('InvitationScreen')
const InvitationVisitor = screen('InvitationVisitor')
const IdentityProviders = screen('IdentityProviders')
const Impersonation = screen('Impersonation')
const MailAddresses = screen('MailAddresses')
const OfferScreen = screen('OfferScreen')
const OrderScreen = screen('OrderScreen')
const Orders = screen('Orders')
const PackageScreen = screen('PackageScreen')
const NewPackage = screen('NewPackage')
const Packages = screen('Packages')
const PartScreen = screen('PartScreen')
const PartImportScreen = screen('PartImportScreen')
const Parts = screen('Parts')
const People = screen('People')
const Registration = screen('Registration')
const Registrations = screen('Registrations')
const Releases = screen('Releases')
const RfqScreen = screen('RfqScreen')
const NewRfq = screen('NewRfq')
const Rfqs = screen('Rfqs')
const Roles = screen('Roles')
const ServiceAccounts = screen('ServiceAccounts')
const SignInSettings = screen('SignInSettings')
const Subscriptions = screen('Subscriptions')
const WebhookScreen = screen('WebhookScreen')
const Webhooks = screen('Webhooks')

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
            <Route path="/console" component={Home} />
            <Route path="/console/rfqs" component={Rfqs} />
            <Route path="/console/rfqs/new" component={NewRfq} />
            <Route path="/console/rfqs/:id" component={RfqScreen} />
            <Route path="/console/rfqs/:id/comparison" component={Comparison} />
            <Route path="/console/rfqs/:id/offer" component={OfferScreen} />
            <Route path={INVITATION_PATH} component={InvitationScreen} />
            <Route path="/console/packages" component={Packages} />
            <Route path="/console/packages/new" component={NewPackage} />
            <Route path="/console/packages/:id" component={PackageScreen} />
            <Route path="/console/orders" component={Orders} />
            <Route path="/console/orders/:id" component={OrderScreen} />
            <Route path="/console/parts" component={Parts} />
            <Route path="/console/parts/import" component={PartImportScreen} />
            <Route path="/console/parts/:id" component={PartScreen} />
            <Route path="/console/subscriptions" component={Subscriptions} />
            <Route path="/console/factories" component={Factories} />
            <Route path="/console/factories/:id" component={FactoryScreen} />
            <Route path="/console/releases" component={Releases} />
            <Route path="/console/sales-agreements" component={Agreements} />
            <Route path="/console/customers" component={CustomerRfqs} />
            <Route path="/console/cases" component={Cases} />
            <Route path="/console/cases/:id" component={CaseScreen} />
            <Route path="/console/organization" component={People} />
            <Route path="/console/organization/impersonation" component={Impersonation} />
            <Route path="/console/organization/roles" component={Roles} />
            <Route path="/console/organization/service-accounts" component={ServiceAccounts} />
            <Route path="/console/organization/identity-providers" component={IdentityProviders} />
            <Route path="/console/organization/sign-in" component={SignInSettings} />
            <Route path="/console/organization/mail" component={MailAddresses} />
            <Route path="/console/organization/registrations" component={Registrations} />
            <Route path="/console/organization/audit-log" component={AuditLog} />
            <Route path="/console/account" component={Account} />
            <Route path="/console/webhooks" component={Webhooks} />
            <Route path="/console/webhooks/:id" component={WebhookScreen} />
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
