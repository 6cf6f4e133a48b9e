/** The sessions ended, so their access tokens are void. At most 100 sessions per event. */
export interface SessionsRevoked {
  type: 'identity.session.revoked'
  data: { sessionIds: string[] }
}
