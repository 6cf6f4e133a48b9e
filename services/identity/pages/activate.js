const form = document.getElementById('activate')
const outcome = document.getElementById('outcome')
const token = location.hash.slice(1)
// The token must not stay in the history of a shared computer.
history.replaceState(null, '', location.pathname)
if (token === '') outcome.textContent = 'Open the complete link, with the part after the #.'

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  outcome.textContent = ''
  const password = form.password.value
  const answer = await fetch('/flows/v1/activations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  })
  if (answer.status === 204) {
    form.remove()
    outcome.textContent = 'Your password is set.'
    document.getElementById('next').hidden = false
    return
  }
  const problem = await answer.json()
  outcome.textContent =
    answer.status === 404
      ? 'This link was used already, or it has expired. Ask for a new one.'
      : (problem.errors?.map((error) => `${error.field} ${error.message}`).join('; ') ?? problem.detail)
})
