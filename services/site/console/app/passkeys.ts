import type { components } from './api.ts'
import { t } from './texts.ts'
import { FieldProblem } from './ui/form.tsx'

type Schemas = components['schemas']
export type RequestOptions = Schemas['PasskeyRequestOptions']
type CreationOptions = Schemas['PasskeyCreationOptions']
type Transport = NonNullable<Schemas['PasskeyAttestation']['transports']>[number]

/** Whether the browser knows passkeys. It does only at a secure address. */
export const hasPasskeys = 'PublicKeyCredential' in globalThis

/** Loaded when it is needed, so that the first screen is small. */
const library = () => import('@simplewebauthn/browser')

/** The transports that the API knows. */
const TRANSPORTS: ReadonlySet<string> = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])

/** What the browser says in a name, in a sentence. Most often the person closed its dialog. */
function notDone(error: unknown): never {
  const isKnown = error instanceof Error && error.name === 'InvalidStateError'
  throw new FieldProblem('', isKnown ? t.passkeys.alreadyThere : t.passkeys.notDone)
}

/** Lets an authenticator answer a challenge. */
export async function answerTo(optionsJSON: RequestOptions): Promise<Schemas['PasskeyAssertion']> {
  const { startAuthentication } = await library()
  const { id, response } = await startAuthentication({ optionsJSON }).catch(notDone)
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return { id, clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) }
}

/** Lets an authenticator make a passkey. */
export async function newPasskey(optionsJSON: CreationOptions): Promise<Schemas['PasskeyAttestation']> {
  const { startRegistration } = await library()
  const { response } = await startRegistration({ optionsJSON }).catch(notDone)
  const { clientDataJSON, attestationObject, transports = [] } = response
  const known = transports.filter((each): each is Transport => TRANSPORTS.has(each))
  return { clientDataJSON, attestationObject, transports: known }
}
