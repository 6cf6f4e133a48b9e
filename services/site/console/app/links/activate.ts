import { t } from '../texts.ts'
import { byId, end, introspect, onSubmit, send, takeFragment, translate } from './page.ts'

const PATH = '/flows/v1/activations'
const token = takeFragment()
translate({ ...t.links.activate, label: t.account.next, hint: t.account.nextHint })
onSubmit(
  (data) => send(PATH, { token, password: data.get('password') }),
  () => {
    end(t.links.activated)
    byId('next').hidden = false
  },
)
introspect(PATH, token, t.links.account)
