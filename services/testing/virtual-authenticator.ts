import type { CDPSession, Page } from 'playwright-core'

/** An authenticator of the browser, which verifies its user, keeps passkeys and asks nothing. */
interface VirtualAuthenticator {
  /** The passkeys that it keeps. */
  credentials(): Promise<{ credentialId: string; signCount: number }[]>
  /** Loses them all. */
  clear(): Promise<unknown>
  /** Whether the person confirms. */
  confirms(isConfirming: boolean): Promise<unknown>
}

/** Gives a window an authenticator, which it keeps on every page. */
export async function virtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    clear: () => session.send('WebAuthn.clearCredentials', { authenticatorId }),
    confirms: (isUserVerified) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}
