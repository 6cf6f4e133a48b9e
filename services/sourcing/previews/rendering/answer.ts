import { TypeCompiler } from '@sinclair/typebox/compiler'
import { MAX_CONTENT_BYTES } from './limits.ts'
import { sizeOfPng } from './png.ts'
import { Header, type Preview, type Rendering } from './rendering.ts'

/**
 * The output of a process: a byte that says whether it is confined, written as soon as it is, then the length of a
 * header, the header as JSON, and the contents of the previews in its order.
 */
export const CONFINED = 1
export const UNCONFINED = 0
const LENGTH_BYTES = 4
const MAX_HEADER_BYTES = 16 * 1024
const MAX_ANSWER_BYTES = 1 + LENGTH_BYTES + MAX_HEADER_BYTES + MAX_CONTENT_BYTES

const header = TypeCompiler.Compile(Header)

export type Answer = Rendering | { state: 'UNCONFINED'; message: string }

export function* encodeAnswer(answer: Answer): Generator<Uint8Array> {
  const previews = 'previews' in answer ? answer.previews : []
  const listed = previews.map(({ content, ...preview }) => ({ ...preview, bytes: content.length }))
  const text = new TextEncoder().encode(JSON.stringify('previews' in answer ? { ...answer, previews: listed } : answer))
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, text.length, true)
  yield length
  yield text
  for (const { content } of previews) yield content
}

/** What a process writes; of more than an answer can have, nothing is kept. */
export async function outputOf(stream: ReadableStream<Uint8Array>, exceed: () => void): Promise<Uint8Array> {
  let parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.length
    if (bytes <= MAX_ANSWER_BYTES) {
      parts.push(part)
    } else {
      parts = []
      exceed()
    }
  }
  return Buffer.concat(parts)
}

/** Undefined for all that is no whole answer: what a process writes that a file has taken over is not trusted. */
export function decodeAnswer(output: Uint8Array): Answer | undefined {
  const bytes = output.subarray(1)
  if (bytes.length < LENGTH_BYTES) return undefined
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  if (length > MAX_HEADER_BYTES || bytes.length < LENGTH_BYTES + length) return undefined
  const read = parsed(new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length)))
  if (!header.Check(read)) return undefined
  // A file is read only after the confinement, and has no say about what comes before.
  const isBefore = read.state === 'UNSUPPORTED' || read.state === 'UNCONFINED'
  if (isBefore !== (output[0] === UNCONFINED)) return undefined
  const contents = bytes.subarray(LENGTH_BYTES + length)
  if (read.state !== 'READY') return contents.length === 0 ? read : undefined
  const previews: Preview[] = []
  let at = 0
  for (const { bytes: size, ...preview } of read.previews) {
    const content = contents.slice(at, at + size)
    if (content.length !== size || !hasType(content, preview)) return undefined
    previews.push({ ...preview, content })
    at += size
  }
  return at === contents.length ? { ...read, previews } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const GLB_MAGIC = 'glTF'

/** Content begins as its type does, with the size that is told. */
function hasType(content: Uint8Array, { contentType, width, height }: Omit<Preview, 'content'>): boolean {
  if (contentType === 'model/gltf-binary') return new TextDecoder('latin1').decode(content.subarray(0, 4)) === GLB_MAGIC
  const size = sizeOfPng(content)
  return size?.width === width && size?.height === height
}
