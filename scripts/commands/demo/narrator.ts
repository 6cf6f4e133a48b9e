import { ApiError, NetworkError } from '../../../proto/clients/typescript/src/index.ts'
import { CommandError } from '../../toolchain/command-error.ts'

/** Waits until a number of further events has been printed. */
export type AwaitEvents = (count: number) => Promise<void>

/** Prints a line for each step. A step that fails ends the demo with its name and the answer. */
export class Narrator {
  #steps = 0
  readonly #print: (line: string) => void
  /** Without an endpoint that receives events, none is awaited. */
  awaitEvents: AwaitEvents = async () => {}

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** A heading before some steps. */
  chapter(title: string): void {
    this.#print(`\n${title}`)
  }

  /** Text that is no step, such as a table. */
  show(text: string): void {
    this.#print(text.replaceAll(/^/gm, '      '))
  }

  /**
   * Does a step and prints what `describe` tells of its result: the ids to look at, and the state. The events that the
   * step causes for the buyer are printed after it.
   */
  async step<Result>(
    what: string,
    work: () => Promise<Result>,
    describe: (result: Result) => string,
    events = 0,
  ): Promise<Result> {
    this.#steps += 1
    try {
      const result = await work()
      this.#print(`${String(this.#steps).padStart(4)}. ${what}: ${describe(result)}`)
      await this.awaitEvents(events)
      return result
    } catch (error) {
      const reason = error instanceof NetworkError ? error.cause : error
      if (!(reason instanceof CommandError) && !(reason instanceof ApiError)) throw error
      throw new CommandError(`Step ${this.#steps} (${what}) failed. ${reason.message}`)
    }
  }
}

export const withState = ({ data: { id, state } }: { data: { id: string; state: string } }) => `${id} is ${state}`
