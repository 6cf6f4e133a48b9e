import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const withSecret = Type.Object({
  KEY: Type.String({ secret: true, minLength: 3, description: 'Secret.' }),
  NAME: Type.Optional(Type.String({ description: 'Name.' })),
})

test('a secret in a file is read without the line break at its end; its variable takes precedence', async () => {
  const file = join(tmpdir(), `secret-${crypto.randomUUID()}`)
  await Bun.write(file, 'from the file\n')
  expect(readConfig(withSecret, { KEY_FILE: file })).toEqual({ KEY: 'from the file' })
  expect(readConfig(withSecret, { KEY_FILE: file, KEY: 'own' })).toEqual({ KEY: 'own' })
  // Only secrets are read from files.
  expect(readConfig(withSecret, { KEY: 'own', NAME_FILE: file })).toEqual({ KEY: 'own' })
  await Bun.write(file, 'a')
  expect(() => readConfig(withSecret, { KEY_FILE: file })).toThrow('KEY is not valid')
  await rm(file)
  expect(() => readConfig(withSecret, { KEY_FILE: file })).toThrow(`KEY_FILE names ${file}, which does not exist.`)
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
