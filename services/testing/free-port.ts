/** Below the ports of outgoing connections, of which another program could take one at any time. */
const FIRST = 10_000
const LAST = 31_999

/** A loopback port that is free at the time of the call. */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1))
    try {
      Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // Another program has it.
    }
  }
}
