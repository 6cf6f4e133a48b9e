import { freePort } from '../../toolchain/ports.ts'

/** Below the range from which systems take the ports of outgoing connections, of which there are many here. */
let next = 21_000

/** A port for one of the servers of this run; never the same twice. */
export const serverPort = (): number => freePort(next++)
