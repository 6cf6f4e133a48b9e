import { newId } from '../../kit/db/ids.ts'
import { succeeded } from '../client.ts'
import type { Account, Fixtures, Kind } from '../fixtures.ts'

/** A kind of record that is private to an organization or to a user. */
export interface RecordKind {
  /** Kinds of organization that can have one. */
  owners: readonly Kind[]
  /** Creates a record of the account or its organization and returns its identifier. */
  make(fixtures: Fixtures, account: Account): Promise<unknown>
  /** An identifier of the same form that does not exist. */
  random(): unknown
}

/** A kind of record whose identifiers have a prefix. */
export const recordOf = <Made>(
  owners: readonly Kind[],
  prefix: string,
  make: (fixtures: Fixtures, account: Account) => Promise<Made>,
) => ({ owners, make, random: () => newId(prefix) })

export const IP_OWNERS: readonly Kind[] = ['owner', 'otherOwner']
export const MANUFACTURERS: readonly Kind[] = ['manufacturer', 'otherOwner']
export const CONSUMERS: readonly Kind[] = ['owner', 'otherOwner', 'consumer']

export const administratorOf = async (fixtures: Fixtures, { kind }: Account) =>
  fixtures.clientOf(await fixtures.account(kind, 'administrator'))

/** Applies lifecycle commands to the record at a path. */
export async function applyTo(fixtures: Fixtures, account: Account, path: string, verbs: readonly string[]) {
  const client = await administratorOf(fixtures, account)
  for (const verb of verbs) await succeeded(client.post(`${path}/${verb}`))
}

/** Creates a record of the account's organization, applies lifecycle commands and returns its id. */
export async function created(
  fixtures: Fixtures,
  account: Account,
  path: string,
  body: object,
  verbs: readonly string[] = [],
): Promise<string> {
  const client = await administratorOf(fixtures, account)
  const { id } = await succeeded(client.post<{ id: string }>(path, body))
  await applyTo(fixtures, account, `${path}/${id}`, verbs)
  return id
}
