import { describe, expect, test } from 'bun:test'
import { testMarketplace } from '../testing/marketplace.ts'
import { sendRaw } from '../testing/socket.ts'

interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: string
  requestId: string
  errors?: { field: string }[]
}

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

  test('with a chunked body over the limit is 413', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
    const answer = await sendRaw(
      port,
      `POST /v1/parts HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`,
    )
    expect(answer.status).toBe(413)
  })

  test('with a target of 20 KB or 100 KB is 414 in the envelope', async () => {
    const answer = await client.get<Problem>(`/v1/parts/${'x'.repeat(20_000)}`)
    expect([answer.status, answer.body.code]).toEqual([414, 'uri_too_long'])
    const longer = await client.get<Problem>(`/v1/parts/${'x'.repeat(100_000)}`)
    expect([longer.status, longer.body.code]).toEqual([414, 'uri_too_long'])
  })

  test('with 100 KB of headers is 431 in the envelope', async () => {
    const answer = await client.get<Problem>('/v1/parts', { headers: { 'x-padding': 'x'.repeat(100_000) } })
    expect([answer.status, answer.body.code]).toEqual([431, 'headers_too_large'])
  })
})
