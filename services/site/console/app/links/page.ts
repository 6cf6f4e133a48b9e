import { fill, problemText, t } from '../texts.ts'

export const byId = (id: string) => document.getElementById(id) as HTMLElement

/** Writes texts over the English ones of the page. */
export function translate(texts: Readonly<Record<string, string>> & { title: string }): void {
  document.title = `${texts.title} · ${t.brand}`
  for (const [name, text] of Object.entries(texts)) {
    const element = document.querySelector(`[data-text=${name}]`)
    if (element) element.textContent = text
  }
}

/** What follows the `#` of the link. It must not stay in the history of a shared computer. */
export function takeFragment(): string {
  const fragment = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  return fragment
}

/** The answer of the marketplace; undefined where there is none, as for a page of a proxy. */
export async function send(path: string, body?: object): Promise<Response | undefined> {
  const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = await fetch(path, { method: 'POST', ...content }).catch(() => undefined)
  return answer?.headers.get('content-type')?.startsWith('text/html') ? undefined : answer
}

/** Why a request was refused. Only 404 means that the link cannot be used again. */
async function reasonOf(answer: Response | undefined): Promise<string> {
  if (answer?.status === 404) return t.links.used
  if (!answer || answer.status === 429 || answer.status >= 500) return t.links.tryAgain
  const { errors, detail } = await answer.json().catch(() => ({}))
  return errors?.map(({ message }: { message: string }) => problemText(message)).join(' ') ?? detail ?? t.links.tryAgain
}

/** Sends the form by `run`. Its button is disabled meanwhile, because a second request would find a used link. */
export function onSubmit(run: (data: FormData) => Promise<Response | undefined>, done: () => void): void {
  const form = document.querySelector('form') as HTMLFormElement
  const button = form.querySelector('button') as HTMLButtonElement
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    byId('outcome').textContent = ''
    button.disabled = true
    const answer = await run(new FormData(form))
    if (answer?.ok) {
      done()
      return
    }
    byId('outcome').textContent = await reasonOf(answer)
    button.disabled = false
  })
}

/** Shows `text` about the account of the link, or that the link no longer works, in place of the form. */
export async function introspect(path: string, token: string, text: string): Promise<void> {
  if (token === '') {
    end(t.links.incomplete)
    return
  }
  const answer = await send(`${path}/introspect`, { token })
  // The link may have been used meanwhile.
  if (!document.querySelector('form')) return
  if (answer?.ok) byId('about').textContent = fill(text, await answer.json())
  else if (answer?.status === 404) end(t.links.used)
  else byId('outcome').textContent = await reasonOf(answer)
}

export function end(outcome: string): void {
  document.querySelector('form')?.remove()
  byId('outcome').textContent = outcome
}
