import { documentForPage } from './document.js'
import { Session } from './session.js'

/** The reference writes the samples for shell itself; those in TypeScript and Python are part of the document. */
const SAMPLES = ['shell']
const LANGUAGES = [
  ...[
    'c',
    'clojure',
    'csharp',
    'dart',
    'fsharp',
    'go',
    'http',
    'java',
    'js',
    'julia',
    'kotlin',
    'node',
    'objc',
    'ocaml',
  ],
  ...['php', 'powershell', 'python', 'r', 'ruby', 'rust', 'shell', 'swift'],
]

const element = (id) => document.getElementById(id)
const fetchOk = async (url) => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response
}

const openapi = await (await fetchOk('/docs/openapi.json')).json()
const shown = documentForPage(openapi, location.origin)

const slug = ({ name }) => name.toLowerCase().replaceAll(' ', '-')

/** Returns the configuration of the reference, which sends the access token of the session. */
const configuration = (token = '') => ({
  content: shown,
  generateTagSlug: slug,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: LANGUAGES.filter((language) => !SAMPLES.includes(language)),
  authentication: { preferredSecurityScheme: 'BearerAuth', securitySchemes: { BearerAuth: { token } } },
  withDefaultFonts: false,
  // The search of the bar finds words of guides, too, and the pages follow the browser's colours.
  hideSearch: true,
  hideDarkModeToggle: true,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
})

let reference
const session = new Session(({ email, accessToken }) => {
  element('outcome').textContent = email ?? ''
  element('sign-in').hidden = email !== undefined
  element('sign-out').hidden = email === undefined
  reference?.updateConfiguration(configuration(accessToken))
})
await session.resume()
reference = globalThis.Scalar.createApiReference('#reference', configuration(session.accessToken))

element('sign-in').addEventListener('click', () => element('dialog').showModal())
element('cancel').addEventListener('click', () => element('dialog').close())
element('sign-out').addEventListener('click', () => session.signOut())
element('credentials').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { username, password } = event.target
  const refusal = await session.signIn(username.value, password.value)
  element('refusal').textContent = refusal ?? ''
  password.value = ''
  if (!refusal) element('dialog').close()
})
// The page of an activation link leads here.
if (location.search === '?sign-in' && !session.accessToken) element('dialog').showModal()
