import { describe, expect, test } from 'bun:test'
import { emailAddressOf } from './email-addresses.ts'

describe('an e-mail address', () => {
  test('that is too long is refused without normalisation, whose time grows with the square of the length', () => {
    const marks = '\u0301\u0316'.repeat(500_000)
    expect(emailAddressOf(`a@a${marks}`)).toBeUndefined()
  })

  test('is normalised, so that spellings that look the same are the same', () => {
    for (const spelling of ['käthe@x.example', 'ka\u0308the@x.example', 'ｋäthe@x.example']) {
      expect(emailAddressOf(spelling)).toBe('käthe@x.example')
    }
    expect(emailAddressOf('Käthe@X.example')).toBe('Käthe@X.example')
  })

  test('has its domain in Unicode, whatever its form', () => {
    expect(emailAddressOf('a@xn--mnchen-3ya.example')).toBe('a@münchen.example')
    // Lower case differs between JavaScript and Postgres, so that it is stored.
    expect(emailAddressOf('a@\u0130x.example')).toBe('a@i\u0307x.example')
  })

  test('with a second character that becomes @, or too long once normalised, is refused', () => {
    for (const none of [
      'a＠b@x',
      'a@b﹫x',
      `${'\ufdfa'.repeat(100)}@x`,
      'a',
      '@x',
      'a@',
      '＜a@x',
      'a@x．',
      'a@x.example/y',
      'a@x.example(a)',
      'a@x.example;',
      'a@x_y.example',
      'a(b)@x.example',
    ]) {
      expect(emailAddressOf(none)).toBeUndefined()
    }
  })
})
