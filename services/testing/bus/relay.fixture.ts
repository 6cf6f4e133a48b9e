import { openBusFromEnvironment } from './program.ts'

/** A process that only runs the relay of `sourcing`. */
const { bus, start } = await openBusFromEnvironment('sourcing')
start(bus.relay())
