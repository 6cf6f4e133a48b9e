import { createMarketplace, type Marketplace, password } from '../../../proto/clients/typescript/src/index.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import type { Account } from './account.ts'

/** A client of the marketplace, with the session of an account if there is one. */
export function clientOf({ url, ...account }: Account | { url: string }): Marketplace {
  return createMarketplace({
    url,
    ...('email' in account ? { credentials: password(account) } : {}),
    // A person waits for the answer.
    maxRetries: 1,
    fetch: (address, init) =>
      fetch(address, init).catch((error) => {
        throw init.signal?.aborted ? error : new CommandError(unreachable(url))
      }),
  })
}

const unreachable = (url: string) =>
  `No marketplace answers at ${url}: start one with ./scripts/dev, or name another with --url.`
