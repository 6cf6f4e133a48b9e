import { expect, test } from 'bun:test'
import { captureLog } from '../testing/captured-log.ts'
import { marketplaceOf } from '../testing/marketplace.ts'

const log = captureLog()
const market = await marketplaceOf(['catalog'], { LOG_LEVEL: 'info' }, undefined, { logDestination: log.destination })
const { client } = (await market.organization(['CONSUMER'])).administrator

test.each([
  ['GET', '/v1/materials', 200, undefined],
  ['GET', '/v1/materials?page=0', 400, 'validation_error'],
  ['GET', '/v1/materials/unobtainium', 404, 'not_found'],
  ['GET', '/v1/unknown', 404, 'not_found'],
  ['DELETE', '/v1/materials', 405, 'method_not_allowed'],
  ['POST', '/v2.3/oauth/token', 422, 'validation_error'],
])('the log line of %s %s has the status %d and the code %p', async (method, path, status, code) => {
  const id = crypto.randomUUID()
  const answer = await client.send(method, path, { headers: { 'x-request-id': id } })
  const lines = log.texts.map((text) => JSON.parse(text)).filter(({ requestId }) => requestId === id)
  expect(lines.map((line) => [answer.status, line.status, line.code])).toEqual([[status, status, code]])
})
