import { numberOf, record } from './harness.ts'
import { openBusFromEnvironment, say } from './program.ts'

/** A consumer that writes its effect and then blocks in the handler or crashes. */
const { BUS_TYPE = '', BUS_STOP_AT = '', BUS_CRASH_AT = '' } = process.env
const { bus, start } = await openBusFromEnvironment('webhooks')
start(
  bus.consume({
    name: BUS_TYPE.replaceAll('.', '-'),
    subjects: [BUS_TYPE],
    async handle(tx, event) {
      await record(tx, event)
      const value = String(numberOf(event))
      if (value === BUS_CRASH_AT) process.kill(process.pid, 'SIGKILL')
      if (value !== BUS_STOP_AT) return
      await say('in the middle')
      await new Promise(() => {})
    },
  }),
)
