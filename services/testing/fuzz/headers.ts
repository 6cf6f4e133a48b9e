import type { Documented } from '../operations/document.ts'
import { MARK } from './texts.ts'

export interface HeaderSet {
  name: string
  lines: readonly string[]
  /** Sent in place of the caller's token. */
  replacesToken?: boolean
  /**
   * Allowed statuses that are not in the document; 0 means that Bun closes the connection or responds with a bare 400.
   */
  alsoAllowed: readonly number[]
  /** Refused as an invalid field in the envelope, by every operation and for every caller. */
  isInvalid?: boolean
}

/** Stands for the length of the body in a header line. */
export const LENGTH = '{length}'

const LATIN1 = '\xe9\xff\x80'

/** Hostile values of every header that the product or Bun reads. */
export function headerSets({ body }: Documented): HeaderSet[] {
  const set = (name: string, ...lines: string[]): HeaderSet => ({ name, lines, alsoAllowed: [] })
  return [
    ...tokens(),
    set('request id with spaces', `X-Request-Id: a b ${MARK}`),
    set('long request id', `X-Request-Id: ${'x'.repeat(10_000)}`),
    set('two request ids', 'X-Request-Id: a', 'X-Request-Id: b'),
    set('user agent in Latin-1', `User-Agent: ${MARK}${LATIN1}`),
    set('user agent of 20 KB', `User-Agent: ${LATIN1.repeat(7000)}`),
    set('empty user agent', 'User-Agent:'),
    set('forwarded for a text', `X-Forwarded-For: ${MARK}'; drop table x; --`),
    set('forwarded for many', `X-Forwarded-For: ${'1.2.3.4, '.repeat(1000)}1.2.3.4`),
    set('forwarded for without addresses', 'X-Forwarded-For: ,,,'),
    set('forwarded for a zone', 'X-Forwarded-For: fe80::1%eth0'),
    set('forwarded for Latin-1', `X-Forwarded-For: ${LATIN1}`),
    set('idempotency key of 255 Latin-1', `Idempotency-Key: ${'\xe9'.repeat(255)}`),
    { ...set('idempotency key of 256', `Idempotency-Key: ${MARK}${'x'.repeat(256)}`), alsoAllowed: [400] },
    { ...set('empty idempotency key', 'Idempotency-Key:'), alsoAllowed: [400] },
    set('invalid entity tags', `If-None-Match: ${MARK}`, `If-Match: ${MARK}`, 'If-Modified-Since: never'),
    set('a thousand tags', `If-None-Match: ${'"x", '.repeat(1000)}W/"y"`),
    set('any tag', 'If-None-Match: *'),
    set('a range', 'Range: bytes=5-1,-0'),
    set('accepts no available type', 'Accept: image/png;q=x', 'Accept-Encoding: *;q=0', 'Accept-Charset: unknown'),
    set('an invalid trace', `traceparent: ${MARK}`, `tracestate: ${MARK}=${LATIN1}`, 'baggage: a=b,,='),
    set('cookies', `Cookie: session=${MARK}; __proto__=x; ${'a=b; '.repeat(500)}`),
    set('names of prototypes', '__proto__: x', 'constructor: x', 'hasOwnProperty: x'),
    set('overrides', 'X-HTTP-Method-Override: DELETE', 'X-Original-URL: /v1/parts', 'X-Forwarded-Host: evil'),
    set('an upgrade', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x'),
    { ...set('unknown expectation', 'Expect: 200-maybe'), alsoAllowed: [0, 417] },
    {
      ...set('200 headers', ...Array.from({ length: 200 }, (_, n) => `X-${n}: ${'x'.repeat(100)}`)),
      alsoAllowed: [0],
    },
    { ...set('100 KB of headers', `X-Padding: ${'x'.repeat(100_000)}`), alsoAllowed: [431] },
    { ...set('NUL in a header', `X-Padding: a\0b`), alsoAllowed: [0] },
    { ...set('a folded header', 'X-Padding: a\r\n b'), alsoAllowed: [0] },
    { ...set('a header without a name', ': x'), alsoAllowed: [0] },
    { ...set('a header without a colon', 'nonsense'), alsoAllowed: [0] },
    { ...set('two equal lengths', `Content-Length: ${LENGTH}`, `Content-Length: ${LENGTH}`), isInvalid: true },
    { ...set('two lengths', 'Content-Length: 5', 'Content-Length: 6'), alsoAllowed: [0, 400, 422] },
    { ...set('a length and chunks', 'Content-Length: 5', 'Transfer-Encoding: chunked'), alsoAllowed: [0, 400, 422] },
    { ...set('an invalid length', 'Content-Length: x'), alsoAllowed: [0] },
    { ...set('a negative length', 'Content-Length: -1'), alsoAllowed: [0] },
    { ...set('an excessive length', 'Content-Length: 99999999999999999999'), alsoAllowed: [0, 413] },
    ...(body === undefined
      ? []
      : [
          set('two content types', 'Content-Type: application/json', 'Content-Type: text/plain'),
          set('content type in Latin-1', `Content-Type: application/json${LATIN1}`),
          set('content type in capitals', 'Content-Type: APPLICATION/JSON; CHARSET="UTF-8"'),
          set('content type with a tail', 'Content-Type: application/json;'),
          set('an unsupported encoding', 'Content-Type: application/json', 'Content-Encoding: gzip, br'),
        ]),
  ]
}

/** Invalid credentials. Operations that need no token ignore them. */
function tokens(): HeaderSet[] {
  const values = [
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${MARK}`,
    'Bearer a.b.c',
    'Bearer ..',
    `Bearer ${'A'.repeat(20_000)}`,
    `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
    `Bearer ${Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"__proto__"}').toString('base64url')}.e30.AAAA`,
    `Bearer ${LATIN1}`,
    `Basic ${Buffer.from('a:b').toString('base64')}`,
    'Negotiate x',
  ]
  const single = values.map((value) => ({ name: `token ${value.slice(0, 30)}`, lines: [`Authorization: ${value}`] }))
  const double = { name: 'two tokens', lines: ['Authorization: Bearer a', 'Authorization: Bearer b'] }
  return [...single, double].map((set) => ({ ...set, replacesToken: true, alsoAllowed: [] }))
}
