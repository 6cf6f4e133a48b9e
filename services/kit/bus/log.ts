/** The part of a logger that the bus uses. */
export interface BusLog {
  info(about: object, message: string): void
  warn(about: object, message: string): void
  error(about: object, message: string): void
}
