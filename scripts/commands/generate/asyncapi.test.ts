import { describe, expect, test } from 'bun:test'
import Ajv from 'ajv/dist/2020.js'
import asyncapi from '../../../proto/asyncapi.json' with { type: 'json' }
import { EVENT_TYPE } from '../../../proto/events/envelope.ts'
import { EVENTS } from '../../../proto/events/events.ts'
import marketplace from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { WEBHOOK_EVENT_TYPES } from '../../../proto/webhook-events.ts'

interface Message {
  name: string
  summary?: string
  examples: { payload: { type: string; data: object } }[]
}

const messages: Record<string, Message> = asyncapi.components.messages
const ajv = new Ajv({ strict: false, validateFormats: false })
ajv.addSchema(asyncapi, 'asyncapi')
const isValid = (type: string, payload: unknown) => {
  const validate = ajv.getSchema(`asyncapi#/components/messages/${type}/payload`)
  if (!validate) throw new Error(`${type} has no payload`)
  return validate(payload)
}

describe('the AsyncAPI document', () => {
  test('has every event with a description and an example that is valid', () => {
    const types = Object.values(EVENTS).flatMap((schemas) => Object.keys(schemas))
    expect(Object.keys(messages).sort()).toEqual(types.sort())
    for (const type of types) {
      expect(type).toMatch(new RegExp(EVENT_TYPE))
      const { summary = '', examples } = messages[type] as Message
      expect([type, summary]).toEqual([type, expect.stringMatching(/^[A-Z].*\.$/)])
      for (const { payload } of examples) expect([type, isValid(type, payload)]).toEqual([type, true])
    }
  })

  test('refuses an example without its data, of another type or with an invalid field', () => {
    const { examples } = messages['cases.created'] as Message
    const payload = examples[0]?.payload ?? { data: {} }
    expect(isValid('cases.created', { ...payload, data: {} })).toBe(false)
    expect(isValid('cases.closed', payload)).toBe(false)
    expect(isValid('cases.created', { ...payload, data: { case: { ...payload.data, state: 'LOST' } } })).toBe(false)
  })

  test('the marketplace sends every event and receives those that webhook endpoints receive', () => {
    const operations = Object.keys(asyncapi.operations)
    expect(operations.filter((name) => name.startsWith('receive.'))).toEqual(
      Object.keys(EVENTS.NOTIFICATIONS).map((type) => `receive.${type}`),
    )
    expect(operations.filter((name) => name.startsWith('send.'))).toHaveLength(Object.keys(messages).length)
  })
})

test('the OpenAPI document describes the delivery of every event type of webhook endpoints', () => {
  expect(Object.keys(marketplace.webhooks).sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort())
})
