import { render } from 'preact'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { Account } from './screens/account.tsx'
import { Agreements } from './screens/agreements.tsx'
import { AuditLog } from './screens/audit-log.tsx'
import { CaseScreen } from './screens/case.tsx'
import { Cases } from './screens/cases.tsx'
import { Comparison } from './screens/comparison.tsx'
import { CustomerRfqs } from './screens/customer-rfqs.tsx'
import { Factories } from './screens/factories.tsx'
import { FactoryScreen } from './screens/factory.tsx'
import { Home } from './screens/home.tsx'
import { IdentityProviders } from './screens/identity-providers.tsx'
import { Impersonation } from './screens/impersonation.tsx'
import { MailAddresses } from './screens/mail-addresses.tsx'
import { OfferScreen } from './screens/offer.tsx'
import { OrderScreen } from './screens/order.tsx'
import { Orders } from './screens/orders.tsx'
import { PackageScreen } from './screens/package.tsx'
import { NewPackage } from './screens/package-form.tsx'
import { Packages } from './screens/packages.tsx'
import { PartScreen } from './screens/part.tsx'
import { PartImportScreen } from './screens/part-import.tsx'
import { Parts } from './screens/parts.tsx'
import { People } from './screens/people.tsx'
import { REGISTRATION_PATH, Registration } from './screens/registration.tsx'
import { Registrations } from './screens/registrations.tsx'
import { Releases } from './screens/releases.tsx'
import { RfqScreen } from './screens/rfq.tsx'
import { NewRfq } from './screens/rfq-form.tsx'
import { Rfqs } from './screens/rfqs.tsx'
import { Roles } from './screens/roles.tsx'
import { ServiceAccounts } from './screens/service-accounts.tsx'
import { SignIn, SignInAgain } from './screens/sign-in.tsx'
import { Subscriptions } from './screens/subscriptions.tsx'
import { WebhookScreen } from './screens/webhook.tsx'
import { Webhooks } from './screens/webhooks.tsx'
import { session } from './session.ts'
import { Shell } from './shell.tsx'
import { comeBack } from './sso.ts'
import { t } from './texts.ts'
import { refuseDropsBesideFields } from './ui/drops.ts'
import { askBeforeLeaving } from './ui/half-filled.ts'
import { Missing } from './ui/states.tsx'

const NotFound = () => <Missing isScreen hint={t.ui.noScreenHint} />

const App = () =>
  location.pathname === REGISTRATION_PATH ? (
    <Registration />
  ) : session.value === 'none' ? (
    <SignIn />
  ) : (
    <LocationProvider scope="/console">
      <Shell>
        <Router>
          <Route path="/console" component={Home} />
          <Route path="/console/rfqs" component={Rfqs} />
          <Route path="/console/rfqs/new" component={NewRfq} />
          <Route path="/console/rfqs/:id" component={RfqScreen} />
          <Route path="/console/rfqs/:id/comparison" component={Comparison} />
          <Route path="/console/rfqs/:id/offer" component={OfferScreen} />
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
          <Route path="/console/organization/mail" component={MailAddresses} />
          <Route path="/console/organization/registrations" component={Registrations} />
          <Route path="/console/organization/audit-log" component={AuditLog} />
          <Route path="/console/account" component={Account} />
          <Route path="/console/webhooks" component={Webhooks} />
          <Route path="/console/webhooks/:id" component={WebhookScreen} />
          <Route default component={NotFound} />
        </Router>
      </Shell>
      <SignInAgain />
    </LocationProvider>
  )

refuseDropsBesideFields()
askBeforeLeaving()
await comeBack()
const root = document.getElementById('console')
if (root) render(<App />, root)
