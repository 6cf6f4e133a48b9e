import { expect, test } from 'bun:test'
import { readConfig } from '../kit/config/read.ts'
import { organizationProblems, organizationVariables } from './config.ts'

const problemsOf = (env: Record<string, string>) => {
  const base = {
    DATABASE_URL: 'postgres://x@localhost/x',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
  }
  try {
    readConfig(organizationVariables, { ...base, ...env }, organizationProblems)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
const MAIL_FROM = 'Marketplace <no-reply@example.com>'

test.each([
  'smtp://localhost:2525',
  'smtps://smtp.example.com',
  'smtps://user%40example.com:p%25ss%2Fword@smtp.example.com:4465/',
])('%s with a sender is valid', (url) => {
  expect(problemsOf({ SMTP_URL: url, MAIL_FROM })).toBe('')
})

test.each([
  'https://smtp.example.com',
  'smtp:///',
  'smtp://host/path',
  'smtps://user:100%@smtp.example.com',
  'smtp://a b',
])('%s is refused without its value', (url) => {
  const problems = problemsOf({ SMTP_URL: url, MAIL_FROM })
  expect(problems).toContain('SMTP_URL is not valid')
  expect(problems).not.toContain(url)
})

test('a server without a sender is refused, and a sender with a line break', () => {
  expect(problemsOf({ SMTP_URL: 'smtp://localhost' })).toContain('MAIL_FROM is missing')
  expect(problemsOf({ SMTP_URL: 'smtp://localhost', MAIL_FROM: 'a\r\nBcc: x <a@example.com>' })).toContain(
    'MAIL_FROM is not valid',
  )
  expect(problemsOf({})).toBe('')
})
