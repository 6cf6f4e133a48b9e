const form = document.getElementById('impersonate')
const outcome = document.getElementById('outcome')
const session = document.getElementById('session')
const field = document.getElementById('token')
const button = form.querySelector('button')
const TRY_AGAIN = 'The marketplace cannot be reached right now. Please try again in a moment.'
const token = location.hash.slice(1)
// The token must not stay in the history of a shared computer.
history.replaceState(null, '', location.pathname)
if (token === '') outcome.textContent = 'Open the complete link, including the part after the #.'

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  outcome.textContent = ''
  // A second request would find a used link.
  button.disabled = true
  const answer = await fetch('/flows/v1/impersonation-grants/redeem', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => undefined)
  // An answer without JSON is not of the marketplace.
  const body = await answer?.json().catch(() => undefined)
  if (!answer?.ok || !body) {
    outcome.textContent = reasonOf(answer, body)
    button.disabled = false
    return
  }
  form.remove()
  field.value = body.access_token
  session.hidden = false
  // The console of this tab acts as the user; other tabs keep their own session.
  const expiresAtMs = Date.now() + body.expires_in * 500
  const tokens = { email: '', accessToken: body.access_token, refreshToken: body.refresh_token, expiresAtMs }
  sessionStorage.setItem('marketplace-session', JSON.stringify(tokens))
  const minutes = Math.max(1, Math.round(body.expires_in / 60))
  outcome.textContent = `The token is valid for ${minutes} minutes.`
  document.getElementById('next').hidden = false
})

/** Only 404 means that the link cannot be used again. */
function reasonOf(answer, body) {
  if (!body || answer.status === 429 || answer.status >= 500) return TRY_AGAIN
  if (answer.status === 404) return 'This link was used or revoked already, or it has expired. Ask for a new one.'
  return body.errors?.map((error) => `${error.field} ${error.message}`).join('; ') ?? body.detail ?? TRY_AGAIN
}

document.getElementById('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(field.value)
  outcome.textContent = 'Copied.'
})
