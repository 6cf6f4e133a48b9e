import { stat } from 'node:fs/promises'

/** A request that arrived at the receiver. */
export interface Receipt {
  /** The number of the endpoint. */
  endpoint: number
  /** The id of the event. */
  id: string
  atMs: number
}

const ENDPOINT_CHARACTERS = 5
const ID_CHARACTERS = 'evt_'.length + 26
const TIME_CHARACTERS = 13
/** With two separators and the end of the line. */
const LINE_CHARACTERS = ENDPOINT_CHARACTERS + ID_CHARACTERS + TIME_CHARACTERS + 3

export function lineOf({ endpoint, id, atMs }: Receipt): string {
  return `${String(endpoint).padStart(ENDPOINT_CHARACTERS)} ${id.padEnd(ID_CHARACTERS)} ${atMs}\n`
}

/** The receipts of a file, in the order of their arrival. */
export async function readReceipts(path: string): Promise<Receipt[]> {
  const lines = (await Bun.file(path).text()).split('\n').slice(0, -1)
  return lines.map((line) => {
    const [endpoint, id = '', atMs] = line.trim().split(/ +/)
    return { endpoint: Number(endpoint), id, atMs: Number(atMs) }
  })
}

/** The lines have the same length, so their number follows from the size. */
export const countReceipts = async (path: string) =>
  ((await stat(path).catch(() => undefined))?.size ?? 0) / LINE_CHARACTERS
