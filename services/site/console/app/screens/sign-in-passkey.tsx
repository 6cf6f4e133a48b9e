import { signal } from '@preact/signals'
import { publicMarket } from '../api.ts'
import { answerTo, hasPasskeys, newPasskey } from '../passkeys.ts'
import { openSession, type SignInStep } from '../session.ts'
import { ssoProblem } from '../sso.ts'
import { t } from '../texts.ts'
import { Field, Form, textOf } from '../ui/form.tsx'

/** What follows the password of a person who needs a passkey. */
export const passkeyStep = signal<Omit<SignInStep, 'tokens'> | undefined>(undefined)

/** A refused answer has used up its challenge, so the sign-in begins again. */
async function orBeginAgain(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 401) {
      passkeyStep.value = undefined
      ssoProblem.value = 'passkey'
      return
    }
    throw error
  }
}

const signInBy = (options: Parameters<typeof answerTo>[0]) =>
  orBeginAgain(async () => {
    const assertion = await answerTo(options)
    const { data } = await publicMarket.POST('/flows/v1/sign-in/passkey', { body: { assertion } })
    passkeyStep.value = undefined
    openSession(data.email, data)
  })

/** Signs in by a passkey alone. */
async function signInByPasskey(): Promise<void> {
  ssoProblem.value = undefined
  const { data } = await publicMarket.POST('/flows/v1/sign-in/passkey/start', {})
  await signInBy(data)
}

const Back = () => (
  <button
    type="button"
    onClick={() => {
      passkeyStep.value = undefined
    }}
  >
    {t.ui.back}
  </button>
)

/** A way to sign in without the password. */
export const PasskeyForm = () =>
  hasPasskeys ? <Form isForgettable submit={t.signIn.byPasskey} tone="" onSend={signInByPasskey} /> : null

const SecondFactor = ({ options }: { options: NonNullable<SignInStep['passkey']> }) => (
  <>
    <p>{t.signIn.secondFactor}</p>
    <Form isForgettable submit={t.signIn.confirmByPasskey} onSend={() => signInBy(options)} buttons={<Back />} />
    <p class="quiet">{t.signIn.lostPasskey}</p>
  </>
)

const FirstPasskey = ({ options }: { options: NonNullable<SignInStep['firstPasskey']> }) => (
  <>
    <p>{t.signIn.firstPasskey}</p>
    <Form
      isForgettable
      submit={t.passkeys.create}
      onSend={(data) =>
        orBeginAgain(async () => {
          const credential = await newPasskey(options)
          const body = { name: textOf(data, 'name') ?? '', credential }
          const { data: tokens } = await publicMarket.POST('/flows/v1/sign-in/first-passkey', { body })
          passkeyStep.value = undefined
          openSession(tokens.email, tokens)
        })
      }
      buttons={<Back />}
    >
      <Field name="name" label={t.passkeys.name} hint={t.passkeys.nameHint} value={t.passkeys.defaultName} isFocused />
    </Form>
  </>
)

/** The step after the password. */
export function PasskeyStep({ passkey, firstPasskey }: Omit<SignInStep, 'tokens'>) {
  if (!hasPasskeys) return <p role="alert">{t.passkeys.unknown}</p>
  if (passkey) return <SecondFactor options={passkey} />
  return firstPasskey ? <FirstPasskey options={firstPasskey} /> : null
}
