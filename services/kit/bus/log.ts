/** What the bus needs of a log; pino has it. */
export interface BusLog {
  info(about: object, message: string): void
  warn(about: object, message: string): void
  error(about: object, message: string): void
}
