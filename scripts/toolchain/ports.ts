import { connect } from 'node:net'
import { CommandError } from './command-error.ts'

/** A free port: the preferred one if possible. */
export function freePort(preferred?: number): number {
  if (preferred !== undefined && isFree(preferred)) return preferred
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = probe
  probe.stop(true)
  return port
}

/** Refuses a port in use, before the slow steps of the start. */
export function requireFreePort(variable: string, port: number): void {
  if (isFree(port)) return
  throw new CommandError(
    `Port ${port} is in use by another program: choose another with ${variable}=${port + 1} ${process.env.INVOKED_AS ?? ''}`.trim(),
  )
}

/**
 * Refuses a host on which no program can listen, and one that leaves out 127.0.0.1, where the start itself calls the
 * services.
 */
export async function requireHost(host: string): Promise<void> {
  const probe = listenOn(host)
  if (!probe) throw new CommandError(`HOST=${host} cannot be used: it is no address of this machine.`)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port: probe.port })
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  const isReached = await promise
  socket.destroy()
  probe.stop(true)
  if (isReached) return
  throw new CommandError(
    `HOST=${host} leaves out 127.0.0.1, where the demo data is loaded: use 0.0.0.0 for all addresses.`,
  )
}

function listenOn(hostname: string) {
  try {
    return Bun.listen({ hostname, port: 0, socket: { data() {} } })
  } catch {
    return undefined
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    // A port below 1024 needs a permission of the system.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new CommandError(`Port ${port} can be opened only by root: choose one above 1023.`)
    }
    return false
  }
}

/** A port from the environment, or the default. */
export function portFrom(variable: string, defaultPort: number): number {
  const text = process.env[variable]
  if (text === undefined || text === '') return defaultPort
  const port = Number(text)
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port
  throw new CommandError(`${variable}=${text} is not a port: use a number from 1 to 65535.`)
}
