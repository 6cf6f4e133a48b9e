const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** Moves to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[2K'

type Terminal = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>

export interface Steps {
  /** Runs one step: a spinner on a terminal, and its time when it is done; otherwise a line at its start. */
  step<T>(title: string, work: () => Promise<T>): Promise<T>
  /** Reports what the running step does. */
  progress(line: string): void
}

/** The steps of a command. It has no dependency, because the installation of packages is a step. */
export function createSteps(output: Terminal = process.stdout): Steps {
  let detail = ''
  return {
    async step(title, work) {
      if (!output.isTTY) {
        output.write(`${title}\n`)
        return work()
      }
      const startedMs = performance.now()
      const seconds = () => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`
      detail = ''
      let frame = 0
      const draw = () => {
        frame = (frame + 1) % FRAMES.length
        output.write(`${CLEAR_LINE}${FRAMES[frame]} ${title} ${seconds()}${detail && `  ${detail}`}`)
      }
      const timer = setInterval(draw, FRAME_MS)
      draw()
      try {
        const result = await work()
        output.write(`${CLEAR_LINE}✔ ${title} ${seconds()}\n`)
        return result
      } catch (error) {
        output.write(`${CLEAR_LINE}✖ ${title} ${seconds()}\n`)
        throw error
      } finally {
        clearInterval(timer)
      }
    },
    progress(line) {
      if (output.isTTY) detail = line
      else output.write(`${line}\n`)
    },
  }
}
