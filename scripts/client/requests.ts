import { type ApiAnswer, ApiClient } from '../../services/testing/client.ts'
import { CommandError } from '../toolchain/command-error.ts'
import type { Account } from './account.ts'

export interface Page<Item> {
  items: Item[]
}

export async function signIn({ url, email, password }: Account): Promise<ApiClient> {
  const client = new ApiClient(url)
  const body = { grant_type: 'password', username: email, password }
  const answer = await client
    .post<{ access_token: string; error?: { message: string } }>('/v2.3/oauth/token', body)
    .catch(() => Promise.reject(new CommandError(unreachable(url))))
  if (answer.status !== 200) {
    throw new CommandError(
      `The sign-in of ${email} answered ${answer.status}: ${answer.body?.error?.message ?? answer.text}`,
    )
  }
  client.accessToken = answer.body.access_token
  return client
}

interface Problem {
  detail?: string
  errors?: { field: string; message: string }[]
  error?: { message: string }
}

/** Sends a request; anything but a success ends the command. */
export async function ask<Body>(client: ApiClient, method: string, path: string, body?: unknown): Promise<Body> {
  const answer = await client
    .send<Body & Problem>(method, path, { body })
    .catch(() => Promise.reject(new CommandError(unreachable(client.url))))
  if (answer.status < 300) return answer.body
  throw new CommandError(`${method} ${path} answered ${answer.status}: ${detailOf(answer)}`)
}

export const unreachable = (url: string) =>
  `No marketplace answers at ${url}: start one with ./scripts/dev, or name another with --url.`

/** The explanation of a refused request, with the fields that it names. */
function detailOf({ body, text }: ApiAnswer<Problem>): string {
  const detail = body?.detail ?? body?.error?.message ?? text
  const fields = body?.errors?.map(({ field, message }) => `${field} ${message}`).join('; ')
  return fields && !detail.includes(fields) ? `${detail} (${fields})` : detail
}
