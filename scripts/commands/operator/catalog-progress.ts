import type { ReadStream } from 'node:fs'
import { statSync } from 'node:fs'
import { Presets, SingleBar } from 'cli-progress'

const RECORDS_BETWEEN_UPDATES = 500
const RECORDS_BETWEEN_LINES = 50_000

interface ImportProgress {
  begin(catalog: string, stream: ReadStream): void
  record(catalog: string): void
  end(): void
}

/** The progress of reading the files: a bar on a terminal, otherwise a line after every 50,000 records. */
export function importProgress(isTerminal: boolean): ImportProgress {
  let bar: SingleBar | undefined
  let stream: ReadStream | undefined
  let records = 0
  const end = () => {
    if (stream && bar) bar.update(bar.getTotal())
    bar?.stop()
    bar = undefined
    stream = undefined
  }
  return {
    begin(catalog, opened) {
      end()
      stream = opened
      records = 0
      if (!isTerminal) return
      bar = new SingleBar({ format: `${catalog} {bar} {percentage} % | {duration_formatted}` }, Presets.shades_classic)
      bar.start(statSync(opened.path).size, 0)
    },
    record(catalog) {
      records += 1
      if (bar && stream && records % RECORDS_BETWEEN_UPDATES === 0) bar.update(stream.bytesRead)
      if (!isTerminal && records % RECORDS_BETWEEN_LINES === 0) console.log(`${catalog}: ${records} records read`)
    },
    end,
  }
}
