import { Counter, type Registry } from 'prom-client'
import { Refusal } from '../../kit/errors/refusal.ts'

type Grant = 'client_credentials' | 'password' | 'refresh_token' | 'sso' | 'passkey'

/** Counts requests for tokens by their outcome: `success`, or the code of the error. */
export function signInMetrics(registry: Registry) {
  const signIns = new Counter({
    name: 'marketplace_sign_ins_total',
    help: 'Requests for tokens, by grant type and result.',
    labelNames: ['grant_type', 'result'],
    registers: [registry],
  })
  return async <T>(grantType: Grant, work: () => Promise<T>): Promise<T> => {
    try {
      const answer = await work()
      signIns.labels(grantType, 'success').inc()
      return answer
    } catch (error) {
      signIns.labels(grantType, error instanceof Refusal ? error.code : 'internal_error').inc()
      throw error
    }
  }
}

export type CountSignIn = ReturnType<typeof signInMetrics>
