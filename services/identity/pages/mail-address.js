const ACTIONS = {
  confirm: {
    question: 'An organization of this marketplace wants to tell your address by mail what happens in it.',
    button: 'Confirm the address',
    done: 'The address is confirmed. It is told from now on.',
    send: (token) =>
      fetch('/flows/v1/mail-addresses/confirm', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      }),
  },
  remove: {
    question: 'Your address gets no further mail once you remove it.',
    button: 'Remove the address',
    done: 'The address is removed.',
    send: (token) => fetch(`/flows/v1/unsubscriptions?token=${encodeURIComponent(token)}`, { method: 'POST' }),
  },
}

const form = document.getElementById('address')
const outcome = document.getElementById('outcome')
const [name, token = ''] = location.hash.slice(1).split('=')
const action = Object.hasOwn(ACTIONS, name) && token !== '' ? ACTIONS[name] : undefined
// The token must not stay in the history of a shared computer.
history.replaceState(null, '', location.pathname)
if (action) {
  document.getElementById('question').textContent = action.question
  form.querySelector('button').textContent = action.button
} else {
  form.remove()
  outcome.textContent = 'Open the complete link, with the part after the #.'
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  outcome.textContent = ''
  const answer = await action.send(token)
  if (answer.status === 204) {
    form.remove()
    outcome.textContent = action.done
    return
  }
  outcome.textContent =
    answer.status === 404
      ? 'This link was used already, or it has expired. Your organization can add the address again.'
      : (await answer.json()).detail
})
