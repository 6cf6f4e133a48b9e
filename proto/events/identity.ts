/** Access tokens of these sessions are dead from now on. At most 100 at a time. */
export interface SessionsRevoked {
  type: 'identity.session.revoked'
  data: { sessionIds: string[] }
}
