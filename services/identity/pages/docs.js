const ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
const form = document.getElementById('sign-in')
const outcome = document.getElementById('outcome')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const answer = await fetch('/v2.3/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', username: form.username.value, password: form.password.value }),
  })
  const body = await answer.json()
  if (!answer.ok) {
    outcome.textContent = body.error.message
    return
  }
  ui.preauthorizeApiKey('BearerAuth', body.access_token)
  const minutes = Math.round(body.expires_in / 60)
  outcome.textContent = `Signed in as ${form.username.value}: requests below are sent with your token for ${minutes} minutes.`
  form.password.value = ''
})
