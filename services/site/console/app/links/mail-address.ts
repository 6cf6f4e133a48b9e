import { t } from '../texts.ts'
import { byId, end, introspect, reasonOf, send, takeFragment, translate } from './page.ts'

const PATH = '/flows/v1/mail-addresses'
const SEND = {
  confirm: (token: string) => send(`${PATH}/confirm`, { token }),
  remove: (token: string) => fetch(`/flows/v1/unsubscriptions?token=${encodeURIComponent(token)}`, { method: 'POST' }),
}

const [name = '', token = ''] = takeFragment().split('=')
const action = Object.hasOwn(SEND, name) ? (name as keyof typeof SEND) : undefined
const texts = t.links[action ?? 'confirm']
translate({ ...t.links.address, submit: texts.submit })

document.querySelector('form')?.addEventListener('submit', async (event) => {
  event.preventDefault()
  byId('outcome').textContent = ''
  const answer = await SEND[action ?? 'confirm'](token)
  if (answer.ok) end(texts.done)
  else byId('outcome').textContent = await reasonOf(answer)
})
introspect(PATH, action ? token : '', texts.question)
