import { Type } from '@sinclair/typebox'

/** For the service that serves the console, and for that whose mails refer to it. */
export const consoleVariables = {
  CONSOLE: Type.Boolean({
    default: true,
    description: 'Whether the console is served at /console and linked from mails.',
  }),
}
