import type { ServiceName } from '../../../proto/services.ts'
import { serviceUrl } from '../database.ts'
import { type Member, openBus } from './harness.ts'

/** One service process for the fixtures beside this file, which the tests kill. */
export function openBusFromEnvironment(service: ServiceName): Promise<Member> {
  const { BUS_OWNER_URL, BUS_NATS_URL } = process.env
  if (!BUS_OWNER_URL) throw new Error('started by the tests of the bus')
  const address = { urlOf: (name: ServiceName) => serviceUrl(BUS_OWNER_URL, name) }
  // Each attempt that crashes needs a process of its own, so there are two instead of five.
  const timing = { tries: 2 }
  return openBus(BUS_NATS_URL ? { ...address, natsUrl: BUS_NATS_URL } : address, service, { timing })
}

/** Sends a line to the test. */
export const say = (word: string) => Bun.write(Bun.stdout, `${word}\n`)
