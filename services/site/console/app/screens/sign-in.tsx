import { signal } from '@preact/signals'
import { publicMarket } from '../api.ts'
import { email, session, signIn } from '../session.ts'
import { t } from '../texts.ts'
import { Action, Dialog } from '../ui/dialog.tsx'
import { Field, Form, textOf } from '../ui/form.tsx'
import { Languages } from '../ui/languages.tsx'
import { REGISTRATION_PATH, registrationMode } from './registration.tsx'

const SignInForm = () => (
  <Form
    isForgettable
    submit={t.signIn.submit}
    onSend={(data) => signIn(textOf(data, 'username') ?? '', String(data.get('password') ?? ''))}
  >
    <Field
      name="username"
      label={t.signIn.email}
      type="email"
      autocomplete="username"
      value={email.value}
      isFocused={!email.value}
    />
    <Field
      name="password"
      label={t.signIn.password}
      type="password"
      autocomplete="current-password"
      isFocused={!!email.value}
    />
  </Form>
)

const isLinkSent = signal(false)

async function askForLink(data: FormData): Promise<void> {
  await publicMarket.POST('/flows/v1/password-resets', { body: { email: textOf(data, 'email') ?? '' } })
  isLinkSent.value = true
}

const ForgottenPassword = () => (
  <>
    <Action label={t.signIn.forgotten} hint={t.signIn.forgottenHint} submit={t.signIn.sendLink} onRun={askForLink}>
      <Field name="email" label={t.signIn.email} type="email" autocomplete="username" value={email.value} isFocused />
    </Action>
    <p class="quiet" role="status">
      {isLinkSent.value && t.signIn.linkSent}
    </p>
  </>
)

export const SignIn = () => (
  <main class="alone">
    <p class="brand">
      <img src="/favicon.ico" alt="" width="28" height="28" /> {t.brand}
    </p>
    <h1>{t.signIn.title}</h1>
    {isSecureContext ? <SignInForm /> : <p role="alert">{t.signIn.insecure}</p>}
    <p class="quiet">{t.signIn.hint}</p>
    <ForgottenPassword />
    {registrationMode !== 'closed' && (
      <p>
        <a href={REGISTRATION_PATH}>{t.registrations.link}</a>
      </p>
    )}
    <p>
      <Languages />
    </p>
  </main>
)

/** Over the page of a session that has ended, so that no text is lost. */
export const SignInAgain = () =>
  session.value === 'ended' ? (
    <Dialog title={t.signIn.ended}>
      <p class="quiet">{t.signIn.endedHint}</p>
      <SignInForm />
    </Dialog>
  ) : null
