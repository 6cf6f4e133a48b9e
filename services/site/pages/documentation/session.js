const KEY = 'session'
/** Time before the end of an access token at which it is refreshed. */
const EARLY_MS = 60_000

/** The session of this tab. It survives a reload and ends with the tab. */
export class Session {
  #onChange
  #timer
  #current = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')

  constructor(onChange) {
    this.#onChange = onChange
  }

  get email() {
    return this.#current?.email
  }

  get accessToken() {
    return this.#current?.accessToken
  }

  /** Continues the session of an earlier load of the page. */
  async resume() {
    if (this.#current && this.#current.expiresMs - EARLY_MS < Date.now()) await this.#refresh()
    else this.#set(this.#current)
  }

  /** Returns the reason of a refusal, or undefined. */
  async signIn(email, password) {
    return this.#request(email, { grant_type: 'password', username: email, password })
  }

  async signOut() {
    const headers = { Authorization: `Bearer ${this.accessToken}` }
    this.#set(null)
    await fetch('/v2.3/oauth/revoke', { method: 'POST', headers })
  }

  async #refresh() {
    const { email, refreshToken } = this.#current
    const refusal = await this.#request(email, { grant_type: 'refresh_token', refresh_token: refreshToken })
    if (refusal) this.#set(null)
  }

  async #request(email, fields) {
    const response = await fetch('/v2.3/oauth/token', { method: 'POST', body: new URLSearchParams(fields) })
    const answer = await response.json()
    if (!response.ok) return answer.error?.message ?? 'The sign-in failed.'
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = answer
    this.#set({ email, accessToken, refreshToken, expiresMs: Date.now() + seconds * 1000 })
    return undefined
  }

  #set(session) {
    this.#current = session
    if (session) sessionStorage.setItem(KEY, JSON.stringify(session))
    else sessionStorage.removeItem(KEY)
    clearTimeout(this.#timer)
    if (session) this.#timer = setTimeout(() => this.#refresh(), session.expiresMs - EARLY_MS - Date.now())
    this.#onChange(this)
  }
}
