import { expect, test } from 'bun:test'
import { signatureOf } from './signature.ts'

test('the published vector of Standard Webhooks', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
  const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  expect(signatureOf('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(expected)
  expect(signatureOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(expected)
})
