/** The part of a logger that the bus and the sessions use. */
export interface MessageLog {
  info(about: object, message: string): void
  warn(about: object, message: string): void
  error(about: object, message: string): void
}
