import { expect, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '../../../proto/errors.ts'
import { isLogged } from './record.ts'

test('missing permissions, conflicts but that of missing mail, failed preconditions and refused sign-ins are logged', () => {
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
    'precondition_failed',
    'subscription_required',
  ])
})
