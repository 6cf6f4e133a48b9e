import { describe, expect, test } from 'bun:test'
import type { ProblemDocument } from '../testing/client.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { sendRaw, statusesUntilClosed } from '../testing/socket.ts'

const market = await testMarketplace()
const org = await market.organization(['IP_OWNER'])
const { client } = org.administrator
const port = market.running.port

describe('a request over a raw socket', () => {
  const authorization = `Authorization: Bearer ${client.accessToken}`

  test('with Host: x is routed by its path', async () => {
    const answer = await sendRaw(port, `GET /zzz/v1/parts HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`)
    expect(answer.status).toBe(404)
    const right = await sendRaw(port, `GET /v1/parts HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`)
    expect(right.status).toBe(200)
  })

  test('with an invalid Host is 400 or 404', async () => {
    for (const host of ['x?y', 'x#y', 'x/y', 'a b', 'x@y']) {
      const request = `GET /blocked/v1/parts HTTP/1.1\r\nHost: ${host}\r\n${authorization}\r\n\r\n`
      expect([400, 404]).toContain((await sendRaw(port, request)).status)
    }
  })

  test('with an absolute-form target is routed by its path or refused', async () => {
    const answer = await sendRaw(
      port,
      `GET http://other.example/v1/parts HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`,
    )
    expect([200, 400, 404]).toContain(answer.status)
  })

  test('with two Authorization headers is 401', async () => {
    const answer = await sendRaw(
      port,
      `GET /v1/parts HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n${authorization}\r\n\r\n`,
    )
    expect(answer.status).toBe(401)
  })

  test('with a truncated body does not block the process', async () => {
    await sendRaw(
      port,
      `POST /v2.3/oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{"gr`,
      { closeAfterSending: true },
    )
    expect((await client.get('/v1/parts')).status).toBe(200)
  })

  describe('with two equal Content-Length lines', () => {
    const twice = (target: string, body: string, lines: string[] = []) => {
      const length = `Content-Length: ${body.length}`
      const head = [`${target} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines, length, length]
      return sendRaw(port, `${head.join('\r\n')}\r\n\r\n${body}`)
    }
    const expected = { field: 'Content-Length', message: 'must be one number of bytes, in one line' }

    test('is 400 in /v1 and 422 in /v2.3, with and without a token, for unknown paths, too', async () => {
      for (const target of ['POST /v1/parts', 'GET /v1/parts', 'POST /v1/unknown', 'PUT /files/uploads/x']) {
        for (const lines of [[], [authorization]]) {
          const { status, body } = await twice(target, '{}', lines)
          expect([target, status, JSON.parse(body).errors]).toEqual([target, 400, [expected]])
        }
      }
      const token = await twice('POST /v2.3/oauth/token', '{}')
      expect([token.status, JSON.parse(token.body).error.details]).toEqual([422, [expected]])
    })

    test('leaves the limit of bodies as it is', async () => {
      const body = ' '.repeat(20_000)
      for (let n = 0; n < 3; n++) expect((await twice('POST /v2.3/oauth/token', body)).status).toBe(422)
      const { status } = await market.anonymous.post('/v2.3/oauth/token', body)
      expect(status).toBe(413)
    })
  })

  test.each([
    ['differing lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a list of lengths', ['Content-Length: 2, 2']],
    ['a length with a sign', ['Content-Length: +2']],
    ['a length in hexadecimal', ['Content-Length: 0x2']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['two equal lengths and chunks', ['Content-Length: 2', 'Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['two transfer codings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
    ['another transfer coding', ['Transfer-Encoding: gzip, chunked']],
    ['a transfer coding behind chunks', ['Transfer-Encoding: chunked, identity']],
    ['a space before the colon', ['Transfer-Encoding : chunked', 'Content-Length: 2']],
  ])('with %s is refused, and what follows is no second request', async (_, lines) => {
    const head = ['POST /v1/parts HTTP/1.1', 'Host: localhost', authorization, 'Content-Type: application/json']
    const smuggled = `GET /v1/parts HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`
    const request = `${[...head, ...lines].join('\r\n')}\r\n\r\n2\r\n{}\r\n0\r\n\r\n${smuggled}`
    expect(await statusesUntilClosed(port, request)).toEqual([400])
  })

  test('with a chunked body over the limit is 413', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const answer = await sendRaw(
      port,
      `POST /v1/parts HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`,
    )
    expect(answer.status).toBe(413)
  })

  test('with a target of 20 KB or 100 KB is 414 in the envelope', async () => {
    const answer = await client.get<ProblemDocument>(`/v1/parts/${'x'.repeat(20_000)}`)
    expect([answer.status, answer.body.code]).toEqual([414, 'uri_too_long'])
    const longer = await client.get<ProblemDocument>(`/v1/parts/${'x'.repeat(100_000)}`)
    expect([longer.status, longer.body.code]).toEqual([414, 'uri_too_long'])
  })

  test('with 100 KB of headers is 431 in the envelope', async () => {
    const answer = await client.get<ProblemDocument>('/v1/parts', { headers: { 'x-padding': 'x'.repeat(100_000) } })
    expect([answer.status, answer.body.code]).toEqual([431, 'headers_too_large'])
  })
})
