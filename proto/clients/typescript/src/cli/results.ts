import { type Format, itemWriter, type Values } from './output.ts'
import { jsonOf, print } from './terminal.ts'

const MAX_PAGE_SIZE = '50'
/** Sends the request of an operation with more of a query. */
type Send = (more: Values) => Promise<Response>

const writerOf = (fields: readonly string[], { output, columns }: Values) =>
  itemWriter(output as Format, {
    fields,
    columns: columns as string[] | undefined,
    write: (text) => process.stdout.write(text),
    // A terminal can tell no width or that of 0.
    width: process.stdout.columns || undefined,
    isTerminal: process.stdout.isTTY,
  })

function showTag({ headers }: Response, { showEtag }: Values): void {
  const tag = headers.get('etag')
  if (showEtag === true && tag !== null) process.stderr.write(`ETag: ${tag}\n`)
}

/** Prints JSON indented, a record as one row, and anything else as it is. */
export async function printRecord(send: Send, fields: readonly string[], options: Values): Promise<void> {
  const response = await send({})
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
  if (!isJson) {
    if (response.body) await print(response.body, process.stdout)
    return
  }
  showTag(response, options)
  const record = (await response.json()) as Values
  if (options.output === 'json' || fields.length === 0) {
    process.stdout.write(`${jsonOf(record, 2)}\n`)
  } else {
    writerOf(fields, options).items([(record.data ?? record) as Values])
  }
}

/**
 * Prints the items of one page, or of all, and tells where there are more. At a terminal, the number of items so far is
 * shown meanwhile.
 */
export async function printItems(send: Send, fields: readonly string[], options: Values): Promise<void> {
  const writer = writerOf(fields, options)
  const isAll = options.all === true
  const isShown = isAll && process.stderr.isTTY && !process.stdout.isTTY
  let count = 0
  for (let page = Number(options.page ?? 1); ; page++) {
    const response = await send(isAll ? { page: String(page), pageSize: options.pageSize ?? MAX_PAGE_SIZE } : {})
    const answer = (await response.json()) as { items?: Values[]; data?: Values[]; hasMore?: boolean }
    const { items = answer.data ?? [], hasMore } = answer
    writer.items(items)
    count += items.length
    if (isShown) process.stderr.write(`\r${count} items`)
    if (isAll && hasMore === true) continue
    showTag(response, options)
    writer.end({ hasMore })
    if (isShown) process.stderr.write('\n')
    if (hasMore) process.stderr.write(`There are more: --page ${page + 1}, or --all.\n`)
    return
  }
}
