import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  PasskeyTransport,
} from '../../../proto/http/identity/passkeys.ts'
import type { PasskeyRow } from './queries.ts'
import { CHALLENGE_MS, handleOf, type RelyingParty } from './rules.ts'

/** Loaded at the first use, because it takes as long as the rest of the service. */
const library = () => import('@simplewebauthn/server')
const libraryHelpers = () => import('@simplewebauthn/server/helpers')

/** EdDSA, ES256 and RS256, the preferred one first. */
const ALGORITHMS = [-8, -7, -257]
const RP_NAME = 'Sourcing and Manufacturing Marketplace'

type Descriptor = Pick<PasskeyRow, 'credential_id' | 'transports'>

const descriptorOf = ({ credential_id: id, transports }: Descriptor) => ({
  id,
  type: 'public-key' as const,
  transports,
})

/** Options for any passkey of this host, or for those of one person. */
export const requestOptions = (
  { id: rpId }: RelyingParty,
  challenge: string,
  passkeys?: readonly Descriptor[],
): PasskeyRequestOptions => ({
  challenge,
  rpId,
  timeout: CHALLENGE_MS,
  userVerification: 'required',
  ...(passkeys && { allowCredentials: passkeys.map(descriptorOf) }),
})

export const creationOptions = (
  { id }: RelyingParty,
  challenge: string,
  { userId, email, passkeys }: { userId: string; email: string; passkeys: readonly Descriptor[] },
): PasskeyCreationOptions => ({
  challenge,
  rp: { id, name: RP_NAME },
  user: { id: handleOf(userId), name: email, displayName: email },
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: CHALLENGE_MS,
  attestation: 'none',
  excludeCredentials: passkeys.map(descriptorOf),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
})

/** The challenge that an answer names; undefined where it names none, or was made in a frame of another site. */
export function challengeIn({ clientDataJSON }: { clientDataJSON: string }): string | undefined {
  try {
    const client: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    if (typeof client !== 'object' || client === null) return undefined
    const { challenge, crossOrigin = false } = client as { challenge?: unknown; crossOrigin?: unknown }
    return typeof challenge === 'string' && crossOrigin === false ? challenge : undefined
  } catch {
    return undefined
  }
}

export interface NewCredential {
  credentialId: string
  publicKey: Uint8Array
  signCount: number
  transports: PasskeyTransport[]
}

/** The credential of an answer; undefined where anything about it is wrong. An attestation is left out unread. */
export async function verifiedCredential(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  challenge: string,
  { clientDataJSON, attestationObject, transports = [] }: PasskeyAttestation,
): Promise<NewCredential | undefined> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL, isoCBOR }] = await Promise.all([
    library(),
    libraryHelpers(),
  ])
  try {
    const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData')
    const withoutAttestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    const answer = await verifyRegistrationResponse({
      response: {
        // The library compares the two with each other alone.
        id: 'new',
        rawId: 'new',
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON,
          attestationObject: isoBase64URL.fromBuffer(isoCBOR.encode(withoutAttestation as never)),
        },
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!answer.verified) return undefined
    const { id: credentialId, publicKey, counter: signCount } = answer.registrationInfo.credential
    return { credentialId, publicKey, signCount, transports: [...new Set(transports)] }
  } catch {
    // The library throws for every kind of wrong answer.
    return undefined
  }
}

/** The counter of a right answer; undefined for a wrong one. The caller compares the counter. */
export async function verifiedCounter(
  { id: expectedRPID, origin: expectedOrigin }: RelyingParty,
  challenge: string,
  { id, clientDataJSON, authenticatorData, signature, userHandle }: PasskeyAssertion,
  passkey: PasskeyRow,
): Promise<number | undefined> {
  if (userHandle !== undefined && userHandle !== handleOf(passkey.user_id)) return undefined
  const { verifyAuthenticationResponse } = await library()
  try {
    const answer = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    })
    return answer.verified ? answer.authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}
