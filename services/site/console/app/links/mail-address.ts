import { t } from '../texts.ts'
import { end, introspect, onSubmit, send, takeFragment, translate } from './page.ts'

const PATH = '/flows/v1/mail-addresses'
const SEND = {
  confirm: (token: string) => send(`${PATH}/confirm`, { token }),
  remove: (token: string) => send(`/flows/v1/unsubscriptions?token=${encodeURIComponent(token)}`),
}

const [name = '', token = ''] = takeFragment().split('=')
const action = Object.hasOwn(SEND, name) ? (name as keyof typeof SEND) : undefined
const texts = t.links[action ?? 'confirm']
translate({ ...t.links.address, submit: texts.submit })

onSubmit(
  () => SEND[action ?? 'confirm'](token),
  () => end(texts.done),
)
introspect(PATH, action ? token : '', texts.question)
