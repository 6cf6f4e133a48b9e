import { signal } from '@preact/signals'
import { publicMarket } from '../api.ts'
import { REGISTRATION_PATH, registrationMode } from '../registration-mode.ts'
import { email, session, signIn } from '../session.ts'
import { goToProvider, ssoProblem } from '../sso.ts'
import { t } from '../texts.ts'
import { Action, Dialog } from '../ui/dialog.tsx'
import { Field, Form, textOf } from '../ui/form.tsx'
import { Languages } from '../ui/languages.tsx'
import { PasskeyForm, PasskeyStep, passkeyStep } from './sign-in-passkey.tsx'

/** The address that was typed, once it is known that its domain uses passwords. */
const passwordFor = signal<string | undefined>(undefined)

/** Asks for the address first, because its domain decides how the person signs in. */
const AddressForm = () => (
  <Form
    isForgettable
    submit={t.signIn.next}
    onSend={async (data) => {
      const address = textOf(data, 'email') ?? ''
      ssoProblem.value = undefined
      if (!(await goToProvider(address))) passwordFor.value = address
    }}
    buttons={
      <button
        type="button"
        onClick={({ currentTarget }) => {
          const typed = currentTarget.form && new FormData(currentTarget.form).get('email')
          passwordFor.value = String(typed ?? '')
        }}
      >
        {t.signIn.usePassword}
      </button>
    }
  >
    <Field
      name="email"
      label={t.signIn.email}
      type="email"
      autocomplete="username"
      value={passwordFor.peek() ?? email.value}
      isFocused
    />
  </Form>
)

const PasswordForm = ({ address }: { address: string }) => (
  <Form
    isForgettable
    submit={t.signIn.submit}
    onSend={async (data) => {
      passkeyStep.value = await signIn(textOf(data, 'username') ?? '', String(data.get('password') ?? ''))
      ssoProblem.value = undefined
      if (!passkeyStep.value) passwordFor.value = undefined
    }}
    buttons={
      <button
        type="button"
        onClick={() => {
          passwordFor.value = undefined
        }}
      >
        {t.ui.back}
      </button>
    }
  >
    <Field
      name="username"
      label={t.signIn.email}
      type="email"
      autocomplete="username"
      value={address}
      isFocused={!address}
    />
    <Field
      name="password"
      label={t.signIn.password}
      type="password"
      autocomplete="current-password"
      isFocused={!!address}
    />
  </Form>
)

const problems: Readonly<Record<string, string>> = t.signIn.problems

/** A passkey is offered before an address is typed, because it may be that of another person. */
function CurrentStep() {
  if (passkeyStep.value) return <PasskeyStep {...passkeyStep.value} />
  if (passwordFor.value !== undefined) return <PasswordForm address={passwordFor.value} />
  return (
    <>
      <AddressForm />
      <PasskeyForm />
    </>
  )
}

const SignInForm = () => (
  <>
    {ssoProblem.value && (
      <p class="failure" role="alert">
        {problems[ssoProblem.value] ?? problems.provider}
      </p>
    )}
    <CurrentStep />
  </>
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

/** The ways of a person who has no password yet, or no longer. */
const WithoutPassword = () => (
  <>
    <p class="quiet">{t.signIn.hint}</p>
    <ForgottenPassword />
    {registrationMode !== 'closed' && (
      <p>
        <a href={REGISTRATION_PATH}>{t.registrations.link}</a>
      </p>
    )}
  </>
)

export const SignIn = () => (
  <main class="alone">
    <p class="brand">
      <img src="/favicon.ico" alt="" width="28" height="28" /> {t.brand}
    </p>
    <h1>{t.signIn.title}</h1>
    {isSecureContext ? <SignInForm /> : <p role="alert">{t.signIn.insecure}</p>}
    {!passkeyStep.value && <WithoutPassword />}
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
