import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { basename } from 'node:path'
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
  await sendFile(created, file, size)
  if (part) await post('PATCH', `${part}/files`, { add: [{ uploadId: created.id, group: options.group }] })
  process.stdout.write(`${jsonOf({ id: created.id, name, size }, 2)}\n`)
}

/** Sends the bytes with a bar at a terminal. The address can be that of a file store, which must not see the token. */
function sendFile({ uploadUrl, method, headers }: Upload, file: string, size: number): Promise<void> {
  const send = uploadUrl.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sending = send(uploadUrl, { method, headers: { ...headers, 'content-length': size } }, (response) => {
      response.resume()
      const { statusCode = 0 } = response
      if (statusCode < 300) resolve()
      else reject(new CliError(`The file store answered ${statusCode}.`, EXIT.refused))
    })
    sending.on('error', (error) => reject(new CliError(`The file was not sent: ${error.message}`, EXIT.unreachable)))
    const source = createReadStream(file)
    source.on('error', reject)
    if (process.stderr.isTTY) showProgress(source, size)
    source.pipe(sending)
  })
}

function showProgress(source: ReadStream, size: number): void {
  let sent = 0
  source.on('data', (chunk) => {
    sent += chunk.length
    process.stderr.write(`\r${bar(sent / size)}`)
  })
  source.on('end', () => process.stderr.write('\n'))
}

function bar(share: number): string {
  const done = Math.round(share * BAR)
  return `${'█'.repeat(done)}${'░'.repeat(BAR - done)} ${Math.round(share * 100)} %`
}
