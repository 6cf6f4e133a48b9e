import { numberOf, record } from './harness.ts'
import { joinFromEnvironment, say } from './program.ts'

/** A consumer that has its effect and then stays in the middle of handling, or dies of what it handles. */
const { BUS_TYPE = '', BUS_STOP_AT = '', BUS_DIE_AT = '' } = process.env
const { bus, start } = await joinFromEnvironment('webhooks')
start(
  bus.consume({
    name: BUS_TYPE.replaceAll('.', '-'),
    subjects: [BUS_TYPE],
    async handle(tx, event) {
      await record(tx, event)
      const value = String(numberOf(event))
      if (value === BUS_DIE_AT) process.kill(process.pid, 'SIGKILL')
      if (value !== BUS_STOP_AT) return
      await say('in the middle')
      await new Promise(() => {})
    },
  }),
)
