/** The cookie that binds a sign-in to the browser in which it began. */
const NAME = 'marketplace-sso'
const FORM = /^[A-Za-z0-9_-]{43}$/

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:')

/** With this prefix browsers accept a cookie over TLS and from this host alone, so no other site can set it. */
const nameAt = (publicUrl: string) => (isSecure(publicUrl) ? `__Host-${NAME}` : NAME)

/** The value of a `Set-Cookie` header. */
export const browserCookie = (publicUrl: string, token: string, maxAgeSeconds: number) =>
  `${nameAt(publicUrl)}=${token}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly${isSecure(publicUrl) ? '; Secure' : ''}; SameSite=Lax`

/** The token of the request's browser. Undefined without one, and where several differ. */
export function browserTokenOf({ headers }: Request, publicUrl: string): string | undefined {
  const prefix = `${nameAt(publicUrl)}=`
  const pairs = (headers.get('cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(prefix))
  const [token, ...others] = new Set(pairs.map((pair) => pair.slice(prefix.length)))
  return token !== undefined && others.length === 0 && FORM.test(token) ? token : undefined
}
