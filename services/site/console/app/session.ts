import { signal } from '@preact/signals'
import { createMarketplace } from '../../../../proto/clients/typescript/src/client.ts'
import type { Credentials, Tokens } from '../../../../proto/clients/typescript/src/credentials.ts'
import { ApiError } from '../../../../proto/clients/typescript/src/errors.ts'
import type { components } from '../../../../proto/clients/typescript/src/generated/openapi.ts'

export interface Session extends Tokens {
  email: string
}

interface Answer {
  access_token: string
  refresh_token?: string | undefined
  expires_in: number
}

const KEY = 'marketplace-session'
/** A token is replaced this long before its end. */
const EARLY_MS = 30_000

/** An impersonation belongs to one tab; a session of one's own to all tabs. */
const stores = [sessionStorage, localStorage] as const

/**
 * The store of this page, for as long as it is open: a page that acts for another person never goes on as its own user
 * when the impersonation ends.
 */
const store = stores.find((each) => each.getItem(KEY) !== null) ?? localStorage

function stored(): Session | undefined {
  const text = store.getItem(KEY)
  return text === null ? undefined : JSON.parse(text)
}

const keep = (session: Session) => store.setItem(KEY, JSON.stringify(session))

/** Ends the session of a refresh token, which works without an access token. */
const revoke = ({ refreshToken }: Session) =>
  fetch('/flows/v1/oauth/revoke', { method: 'POST', body: new URLSearchParams({ token: refreshToken ?? '' }) }).catch(
    () => undefined,
  )

const sessionOf = (email: string, { access_token, refresh_token, expires_in }: Answer): Session => ({
  email,
  accessToken: access_token,
  refreshToken: refresh_token,
  expiresAtMs: Date.now() + Math.max(expires_in * 1000 - EARLY_MS, expires_in * 500),
})

/** `ended`: a session that expired or was revoked. The page stays, so that no text of a form is lost. */
export const session = signal<'none' | 'active' | 'ended'>(stored() ? 'active' : 'none')
export const email = signal(stored()?.email ?? '')

function end(): void {
  store.removeItem(KEY)
  session.value = 'ended'
}

/**
 * One tab refreshes at a time, and the others take the tokens that it stored. A tab that sees them a moment later uses
 * the old refresh token once more, which the marketplace answers with the same successor.
 */
export const credentials: Credentials = (ask, previous) =>
  navigator.locks.request(KEY, async () => {
    const current = stored()
    if (!current) {
      end()
      throw new Error('The session has ended.')
    }
    if (current.accessToken !== previous?.accessToken && Date.now() < current.expiresAtMs) return current
    const refreshed = await ask('/v2.3/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: current.refreshToken ?? '',
    }).catch((error) => {
      if (error instanceof ApiError && [400, 401, 422].includes(error.status)) end()
      throw error
    })
    const next = sessionOf(current.email, refreshed)
    if (!stored()) {
      // Another tab has signed out meanwhile.
      await revoke(next)
      end()
      throw new Error('The session has ended.')
    }
    keep(next)
    return next
  })

const anonymous = createMarketplace({ url: location.origin })

export type SignInStep = components['schemas']['SignInStep']

/** Signs in by the password. Returns what has to follow it, where something has. */
export async function signIn(username: string, password: string): Promise<Omit<SignInStep, 'tokens'> | undefined> {
  const { data } = await anonymous.POST('/flows/v1/sign-in/password', { body: { username, password } })
  const { tokens, ...step } = data
  if (!tokens) return step
  openSession(username, tokens)
  return undefined
}

/** Begins a session. Another person than before gets a page without the data of the last one. */
export function openSession(username: string, data: Answer): void {
  const isAnother = session.value === 'ended' && username.toLowerCase() !== email.value.toLowerCase()
  keep(sessionOf(username, data))
  if (isAnother) {
    location.reload()
    return
  }
  email.value = username
  session.value = 'active'
}

/** Ends the session here and in the other tabs. */
export async function signOut(): Promise<void> {
  const current = stored()
  store.removeItem(KEY)
  if (current) await revoke(current)
  location.assign('/console')
}

addEventListener('storage', ({ key, storageArea }) => {
  if (key !== KEY || storageArea !== localStorage || store !== localStorage) return
  const current = stored()
  if (!current) session.value = session.value === 'none' ? 'none' : 'ended'
  else if (session.value === 'none' || current.email.toLowerCase() !== email.value.toLowerCase()) location.reload()
  else session.value = 'active'
})

// A page that the browser kept may show data of a session that has ended since.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})
