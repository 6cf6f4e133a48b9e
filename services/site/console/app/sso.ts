import { signal } from '@preact/signals'
import { publicMarket } from './api.ts'
import { openSession } from './session.ts'

/** Why the last sign-in at a provider failed. */
export const ssoProblem = signal<string | undefined>(undefined)

/** Where the page was before it went to the provider. */
const KEY = 'marketplace-return'

/** Goes to the provider of the domain of an address. False where the domain uses passwords. */
export async function goToProvider(email: string): Promise<boolean> {
  const { data } = await publicMarket.POST('/flows/v1/sso/start', { body: { email } })
  if (data.authorizationUrl === undefined) return false
  leaveFor(data.authorizationUrl)
  return true
}

/** Opens a page of a provider. The way back leads to this page. */
export function leaveFor(url: string): void {
  sessionStorage.setItem(KEY, location.pathname + location.search)
  location.assign(url)
}

/** Ends the sign-in or test that the fragment of the page names. The fragment is removed first. */
export async function comeBack(): Promise<void> {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const [code, problem, test] = ['sso', 'sso-problem', 'sso-test'].map((name) => fragment.get(name))
  if (!code && !problem && !test) return
  history.replaceState(null, '', sessionStorage.getItem(KEY) ?? location.pathname)
  sessionStorage.removeItem(KEY)
  if (problem) ssoProblem.value = problem
  if (!code) return
  try {
    const { data } = await publicMarket.POST('/flows/v1/sso/token', { body: { code } })
    openSession(data.email, data)
  } catch {
    ssoProblem.value = 'expired'
  }
}
