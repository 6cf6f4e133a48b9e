import { render } from 'preact'
import { LocationProvider, Route, Router } from 'preact-iso'
import { Home } from './screens/home.tsx'
import { SignIn, SignInAgain } from './screens/sign-in.tsx'
import { session } from './session.ts'
import { Shell } from './shell.tsx'
import { t } from './texts.ts'
import { Page } from './ui/page.tsx'
import { Empty } from './ui/states.tsx'

const NotFound = () => (
  <Page title={t.ui.notFound}>
    <Empty>{t.ui.notFoundHint}</Empty>
  </Page>
)

const App = () =>
  session.value === 'none' ? (
    <SignIn />
  ) : (
    <LocationProvider scope="/console">
      <Shell>
        <Router>
          <Route path="/console" component={Home} />
          <Route default component={NotFound} />
        </Router>
      </Shell>
      <SignInAgain />
    </LocationProvider>
  )

const root = document.getElementById('console')
if (root) render(<App />, root)
