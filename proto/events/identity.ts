/** A signing key was revoked, so the tokens that it signed are void. */
export interface KeyRevoked {
  type: 'identity.key.revoked'
  data: { kid: string }
}

/** The sessions ended, so their access tokens are void. At most 100 sessions per event. */
export interface SessionsRevoked {
  type: 'identity.session.revoked'
  data: { sessionIds: string[] }
}
