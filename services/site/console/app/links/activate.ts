import { t } from '../texts.ts'
import { byId, end, introspect, reasonOf, send, takeFragment, translate } from './page.ts'

const PATH = '/flows/v1/activations'
const token = takeFragment()
translate({ ...t.links.activate, label: t.account.next, hint: t.account.nextHint })
const form = document.querySelector('form') as HTMLFormElement

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  byId('outcome').textContent = ''
  const answer = await send(PATH, { token, password: new FormData(form).get('password') })
  if (!answer.ok) {
    byId('outcome').textContent = await reasonOf(answer)
    return
  }
  end(t.links.activated)
  byId('next').hidden = false
})
introspect(PATH, token, t.links.account)
