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

export const send = (path: string, body: object) =>
  fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Why a request was refused. */
export async function reasonOf(answer: Response): Promise<string> {
  if (answer.status === 404) return t.links.used
  const { errors, detail } = await answer.json()
  return errors?.map(({ message }: { message: string }) => problemText(message)).join(' ') ?? detail
}

/** Shows `text` about the account of the link, or that the link no longer works, in place of the form. */
export async function introspect(path: string, token: string, text: string): Promise<void> {
  const answer = token === '' ? undefined : await send(`${path}/introspect`, { token })
  if (answer?.ok) byId('about').textContent = fill(text, await answer.json())
  else if (!answer || answer.status === 404) end(answer ? t.links.used : t.links.incomplete)
}

export function end(outcome: string): void {
  document.querySelector('form')?.remove()
  byId('outcome').textContent = outcome
}
