export interface ApiAnswer<T> {
  status: number
  headers: Headers
  body: T
  text: string
}

/** The error body of `/v1` and `/flows/v1`, whole. */
export interface ProblemDocument {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: string
  requestId: string
  errors?: { field: string }[]
}

export interface RequestOptions {
  headers?: Record<string, string>
  body?: unknown
}

const FORM = 'application/x-www-form-urlencoded'

/** An object is sent as JSON, or as a form where the headers say so. */
export function encoded(body: unknown, contentType: string | undefined): string {
  if (typeof body === 'string') return body
  return contentType === FORM ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body)
}

/** An HTTP client of the API, with or without a session. */
export class ApiClient {
  url: string
  accessToken: string | undefined
  refreshToken: string | undefined

  constructor(url: string, accessToken?: string) {
    this.url = url
    this.accessToken = accessToken
  }

  get<T = Record<string, unknown>>(path: string, options?: RequestOptions): Promise<ApiAnswer<T>> {
    return this.send('GET', path, options)
  }

  post<T = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    return this.send('POST', path, { body, headers })
  }

  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    { headers = {}, body }: RequestOptions = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.accessToken === undefined ? {} : { authorization: `Bearer ${this.accessToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: encoded(body, headers['content-type']) }),
    })
    const text = await response.text()
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson && text !== '' ? JSON.parse(text) : undefined) as T,
    }
  }

  async activate(token: string, password: string): Promise<void> {
    const { status, text } = await this.post('/flows/v1/activations', { token, password })
    if (status !== 204) throw new Error(`activation: ${status} ${text}`)
  }

  async signIn(username: string, password: string): Promise<void> {
    const answer = await this.post<{ access_token: string; refresh_token: string }>('/v2.3/oauth/token', {
      grant_type: 'password',
      username,
      password,
    })
    if (answer.status !== 200) throw new Error(`sign-in of ${username}: ${answer.status} ${answer.text}`)
    this.accessToken = answer.body.access_token
    this.refreshToken = answer.body.refresh_token
  }
}

/** The body of the answer to a request that must succeed. */
export async function succeeded<T>(request: Promise<ApiAnswer<T>>): Promise<T> {
  const { status, body, text } = await request
  if (status >= 300) throw new Error(`a request was refused: ${status} ${text}`)
  return body
}
