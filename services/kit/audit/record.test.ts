import { expect, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import { isLogged } from './record.ts'

test('missing permissions, conflicts, failed preconditions and refused sign-ins are logged, and nothing else', () => {
  const logged = (Object.keys(ERRORS) as ErrorCode[]).filter(isLogged)
  expect(logged.sort()).toEqual([
    'conflict',
    'email_taken',
    'forbidden',
    'idempotency_conflict',
    'illegal_transition',
    'in_use',
    'invalid_client',
    'invalid_credentials',
    'last_administrator',
    'limit_reached',
    'mail_unavailable',
    'precondition_failed',
    'subscription_required',
  ])
})
