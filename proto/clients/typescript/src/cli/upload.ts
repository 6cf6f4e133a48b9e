import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { Upload } from '../generated/openapi.ts'
import { CliError, EXIT } from './failure.ts'
import type { Session } from './session.ts'
import { jsonOf } from './terminal.ts'

interface UploadOptions {
  name?: string
  public?: boolean
  part?: string
  group: string
}

const BAR = 30
/** A slow connection sends what is buffered within this time. */
const INACTIVE_MS = 120_000

/** Uploads a file and, with `--part`, adds it to the part. Prints the upload. */
export async function upload(session: Session, file: string, options: UploadOptions): Promise<void> {
  const found = await stat(file).catch((error: Error) => {
    throw new CliError(`The file cannot be read: ${error.message}`)
  })
  if (!found.isFile()) throw new CliError(`${file} is no file.`)
  const { size } = found
  const post = async (method: string, path: string, body: object) =>
    session.send(
      new Request(`${session.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const name = options.name ?? basename(file)
  const part = options.part && `/v1/parts/${encodeURIComponent(options.part)}`
  // A wrong id is reported before the bytes are sent.
  if (part) await session.send(new Request(`${session.url}${part}`))
  const created = (await (
    await post('POST', '/v1/uploads', { name, public: options.public ?? false })
  ).json()) as Upload
  await sendFile(created, { path: file, size })
  if (part) await post('PATCH', `${part}/files`, { add: [{ uploadId: created.id, group: options.group }] })
  process.stdout.write(`${jsonOf({ id: created.id, name, size }, 2)}\n`)
}

interface SentFile {
  path: string
  /** As announced to the file store. */
  size: number
}

/**
 * Sends the bytes with a bar at a terminal. The address can be that of a file store, which must not see the token. The
 * first failure ends both the reading and the request.
 */
export function sendFile(
  { uploadUrl, method, headers }: Pick<Upload, 'uploadUrl' | 'method' | 'headers'>,
  file: SentFile,
  inactiveMs = INACTIVE_MS,
): Promise<void> {
  const send = uploadUrl.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sending = send(uploadUrl, { method, headers: { ...headers, 'content-length': file.size } }, (response) => {
      response.resume()
      const { statusCode = 0 } = response
      if (statusCode >= 300) return fail(new CliError(`The file store answered ${statusCode}.`, EXIT.refused))
      clearTimeout(timer)
      resolve()
    })
    const unreachable = (reason: string) => new CliError(`The file was not sent: ${reason}`, EXIT.unreachable)
    const timer = setTimeout(
      () => fail(unreachable(`the file store took nothing for ${Math.round(inactiveMs / 1000)} seconds.`)),
      inactiveMs,
    )
    const source = Readable.from(bytesOf(file, () => timer.refresh()))
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
      source.destroy()
      sending.destroy()
    }
    sending.on('error', (error) => fail(unreachable(error.message)))
    source.on('error', fail)
    source.pipe(sending)
  })
}

/** Holds the last bytes back until the file has the announced size, so that no part is stored as the whole file. */
async function* bytesOf({ path, size }: SentFile, onRead: () => void) {
  const changed = new CliError(`${path} was changed while it was sent.`)
  const isShown = process.stderr.isTTY
  let held: Buffer | undefined
  let read = 0
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      onRead()
      read += chunk.length
      if (read > size) throw changed
      if (held) yield held
      held = chunk
      if (isShown) process.stderr.write(`\r${bar(read / size)}`)
    }
  } catch (error) {
    throw error === changed ? changed : new CliError(`The file cannot be read: ${(error as Error).message}`)
  } finally {
    if (isShown) process.stderr.write('\n')
  }
  if (read < size) throw changed
  if (held) yield held
}

function bar(share: number): string {
  const done = Math.round(share * BAR)
  return `${'█'.repeat(done)}${'░'.repeat(BAR - done)} ${Math.round(share * 100)} %`
}
