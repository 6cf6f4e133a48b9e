import { joinFromEnvironment } from './program.ts'

/** One process that does nothing but hand on what `sourcing` announces. */
const { bus, start } = await joinFromEnvironment('sourcing')
start(bus.relay())
