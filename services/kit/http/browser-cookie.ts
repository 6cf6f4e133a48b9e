/** The cookies that bind a sign-in to the browser in which it began: at an identity provider, or by a passkey. */
type Kind = 'sso' | 'passkey'
const FORM = /^[A-Za-z0-9_-]{43}$/

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

/** With this prefix browsers accept a cookie only over TLS and from this host, so no other site can set it. */
const nameAt = (publicUrl: string, kind: Kind) => `${isSecure(publicUrl) ? '__Host-' : ''}marketplace-${kind}`

/** The value of a `Set-Cookie` header. */
export const browserCookie = (publicUrl: string, token: string, maxAgeSeconds: number, kind: Kind = 'sso') =>
  `${nameAt(publicUrl, kind)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly${isSecure(publicUrl) ? '; Secure' : ''}; SameSite=Lax`

/** The token of the request's browser. Undefined without one, and where several differ. */
export function browserTokenOf({ headers }: Request, publicUrl: string, kind: Kind = 'sso'): string | undefined {
  const prefix = `${nameAt(publicUrl, kind)}=`
  const pairs = (headers.get('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(prefix))
  const [token, ...others] = new Set(pairs.map((pair) => pair.slice(prefix.length)))
  return token !== undefined && others.length === 0 && FORM.test(token) ? token : undefined
}
