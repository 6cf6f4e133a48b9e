import { afterAll } from 'bun:test'
import { conformance } from '../../testing/bus/conformance/conformance.ts'
import { testDatabase } from '../../testing/database.ts'
import { natsServer } from '../../testing/nats-server.ts'
import { ensureStreams } from './nats/streams.ts'

const database = await testDatabase()
const server = await natsServer()
afterAll(() => server.close())

conformance(async () => {
  await server.start()
  await ensureStreams({ url: server.url })
  return {
    database,
    natsUrl: server.url,
    async interrupt() {
      await server.kill()
      await server.start()
    },
  }
})
