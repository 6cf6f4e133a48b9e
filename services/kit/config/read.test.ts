import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { BadConfiguration, readConfig } from './read.ts'

const schema = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 8080, description: 'Port.' }),
  URL: Type.String({ pattern: '^https://', description: 'Where.' }),
  KEY: Type.String({ description: 'Secret.' }),
  LIMIT: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, description: 'Limit.' })),
})

test('missing and empty variables get their defaults, and unknown variables are ignored', () => {
  expect(readConfig(schema, { URL: 'https://a', KEY: 'k', PORT: '', HOME: '/root' })).toEqual({
    PORT: 8080,
    URL: 'https://a',
    KEY: 'k',
  })
})

test('all invalid variables are reported together, without their values', () => {
  try {
    readConfig(schema, { PORT: '70000', URL: 'ftp://secret', LIMIT: '0x1' })
    throw new Error('was accepted')
  } catch (error) {
    expect(error).toBeInstanceOf(BadConfiguration)
    const { message } = error as Error
    for (const name of ['PORT', 'URL', 'KEY', 'LIMIT']) expect(message).toContain(name)
    expect(message).not.toContain('secret')
  }
})
