import { Refusal } from './refusal.ts'

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
  throw new Refusal(
    `Port ${port} is in use by another program: choose another with ${variable}=${port + 1} ${process.env.INVOKED_AS ?? ''}`.trim(),
  )
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    // A port below 1024 needs a permission of the system.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new Refusal(`Port ${port} can be opened only by root: choose one above 1023.`)
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
  throw new Refusal(`${variable}=${text} is not a port: use a number from 1 to 65535.`)
}
