import type { ServiceName } from '../../../../proto/services.ts'
import { serviceUrl } from '../../../testing/database.ts'
import { joinBus, type Member } from './harness.ts'

/** One process of a service, for the programs beside this file: what they run is killed in the tests. */
export function joinFromEnvironment(service: ServiceName): Promise<Member> {
  const { BUS_OWNER_URL, BUS_NATS_URL } = process.env
  if (!BUS_OWNER_URL) throw new Error('started by the tests of the bus')
  const address = { urlOf: (name: ServiceName) => serviceUrl(BUS_OWNER_URL, name) }
  return joinBus(BUS_NATS_URL ? { ...address, natsUrl: BUS_NATS_URL } : address, service)
}

/** Tells the test that started this program. */
export const say = (word: string) => Bun.write(Bun.stdout, `${word}\n`)
