import { readFile } from 'node:fs/promises'

/** Of Linux, for all architectures. */
const TICKS_PER_SECOND = 100

/** CPU time that a process has taken, in seconds. */
async function cpuSecondsOf(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name of the program is in brackets and may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  }
  const { stdout } = Bun.spawn(['ps', '-o', 'time=', '-p', String(pid)])
  return (await stdout.text())
    .trim()
    .split(':')
    .reduce((seconds, part) => seconds * 60 + Number(part), 0)
}

const INTERVAL_MS = 500

/** The share of a core that a process takes during an interval. */
export async function coreShareOf(pid: number): Promise<number> {
  const [beganMs, before] = [performance.now(), await cpuSecondsOf(pid)]
  await Bun.sleep(INTERVAL_MS)
  return ((await cpuSecondsOf(pid)) - before) / ((performance.now() - beganMs) / 1000)
}
