import { joinFromEnvironment } from './program.ts'

/** A process that only runs the relay of `sourcing`. */
const { bus, start } = await joinFromEnvironment('sourcing')
start(bus.relay())
