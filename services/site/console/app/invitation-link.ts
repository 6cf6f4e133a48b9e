/** The page of the link that is mailed to a company which is invited to an RFQ. */
export const INVITATION_PATH = '/console/invitation'
/** The visitor goes on to sign in. */
export const INVITATION_SIGN_IN = `${INVITATION_PATH}?sign-in`

const KEY = 'invitation'

// The token must not stay in the history of a shared computer. The tab keeps it while the person signs in.
if (location.pathname === INVITATION_PATH) {
  if (location.hash.length > 1) {
    sessionStorage.setItem(KEY, location.hash.slice(1))
    history.replaceState(null, '', INVITATION_PATH)
  }
  // A link that is opened in the same window changes only what follows the `#`.
  addEventListener('hashchange', () => location.reload())
}

export const invitationToken = () => sessionStorage.getItem(KEY) ?? ''
export const forgetInvitation = () => sessionStorage.removeItem(KEY)

/** Whether the page is that of a visitor, who reads what the link is about before signing in. */
export const isInvitationOfVisitor = () =>
  location.pathname === INVITATION_PATH && location.search !== new URL(INVITATION_SIGN_IN, location.origin).search
