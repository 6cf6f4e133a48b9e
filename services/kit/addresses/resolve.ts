import { lookup } from 'node:dns/promises'

/** Every address of a name, of both families. Rejects where there is none, or nobody answers. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** Asks as every other program on this machine does. */
export const resolveBySystem: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address)
