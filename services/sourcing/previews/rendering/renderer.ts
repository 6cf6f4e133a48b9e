import { writeSync } from 'node:fs'
import { type Answer, CONFINED, encodeAnswer, UNCONFINED } from './answer.ts'
import { confine, subordinate } from './confinement.ts'
import { type Kind, kindOf } from './kind.ts'
import { MAX_CONTENT_BYTES } from './limits.ts'
import { measure } from './measure.ts'
import type { Model } from './model.ts'
import type { FailureReason, Preview, Rendering } from './rendering.ts'
import { RenderingError } from './rendering-error.ts'

/**
 * The program of a process for one file: it loads what the kind of the file needs, gives up everything but memory and
 * its output, reads the file, and writes one answer.
 */
const [path = '', parent, memory, triangles] = process.argv.slice(2)
const maxTriangles = Number(triangles)

type Read = (file: Uint8Array) => Promise<Rendering>

async function readerOf(kind: Kind): Promise<Read> {
  if (kind === 'PDF') {
    const { pdfReader } = await import('./pages.ts')
    const read = await pdfReader()
    return async (file) => ({ state: 'READY', ...(await read(file)) })
  }
  if (kind === 'IMAGE') {
    const { previewOfImage } = await import('./images.ts')
    return async (file) => ({ state: 'READY', previews: [await previewOfImage(file)] })
  }
  const read = await modelReaderOf(kind)
  const { pictureOf, PICTURE_PIXELS } = await import('./picture.ts')
  const { reducedModel } = await import('./reduced-model.ts')
  return async (file) => {
    const model = await read(file)
    const measured = measure(model, maxTriangles)
    const size = { width: PICTURE_PIXELS, height: PICTURE_PIXELS }
    const image: Preview = {
      ...{ kind: 'IMAGE', contentType: 'image/png', ...size },
      content: pictureOf(measured, model.up),
    }
    const content = await reducedModel(measured, model.up)
    const reduced: Preview[] = content ? [{ kind: 'MODEL', contentType: 'model/gltf-binary', content }] : []
    return { state: 'READY', geometry: measured.geometry, previews: [...reduced, image] }
  }
}

async function modelReaderOf(kind: Exclude<Kind, 'PDF' | 'IMAGE'>): Promise<(file: Uint8Array) => Promise<Model>> {
  switch (kind) {
    case 'STEP':
    case 'IGES': {
      const { openCascade } = await import('./open-cascade.ts')
      const read = await openCascade()
      return (file) => read(kind, file, maxTriangles)
    }
    case 'STL':
    case 'OBJ': {
      const { readObj, readStl } = await import('./stl.ts')
      return async (file) => (kind === 'STL' ? readStl : readObj)(file, maxTriangles)
    }
    case '3MF': {
      const { read3mf } = await import('./three-mf.ts')
      return async (file) => read3mf(file, maxTriangles)
    }
    case 'GLB': {
      const { readGlb } = await import('./glb.ts')
      return (file) => readGlb(file, maxTriangles)
    }
  }
}

/** The reason of a reader, of memory that the engine could not get, or of a file that made the reader fail. */
function reasonOf(error: unknown): FailureReason {
  if (error instanceof RenderingError) return error.reason
  const message = error instanceof Error ? error.message : String(error)
  if (/out of memory|oom|memory allocation|array length|bad_alloc|invalid typed array length/i.test(message)) {
    return 'OUT_OF_MEMORY'
  }
  return error instanceof WebAssembly.RuntimeError ? 'CRASHED' : 'INVALID'
}

function refusalOfConfinement(): string | undefined {
  try {
    confine()
    return undefined
  } catch (error) {
    return String(error).slice(0, 1000)
  }
}

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

async function answerOf(): Promise<Answer> {
  const file = await Bun.file(path).bytes()
  const kind = await kindOf(file)
  const read = kind && (await readerOf(kind))
  // The confinement follows the loading of the reader, because it denies the opening of files.
  const refused = read && refusalOfConfinement()
  write(Uint8Array.of(read && !refused ? CONFINED : UNCONFINED))
  if (!read) return { state: 'UNSUPPORTED' }
  if (refused) return { state: 'UNCONFINED', message: refused }
  try {
    const rendering = await read(file)
    return 'previews' in rendering ? { ...rendering, previews: fitting(rendering.previews) } : rendering
  } catch (error) {
    return { state: 'FAILED', reason: reasonOf(error) }
  }
}

/** The first previews that fit into an answer. */
function fitting(previews: readonly Preview[]): Preview[] {
  let bytes = 0
  return previews.filter(({ content }) => {
    bytes += content.length
    return bytes <= MAX_CONTENT_BYTES
  })
}

subordinate(Number(parent), Number(memory))
for (const part of encodeAnswer(await answerOf())) write(part)
process.exit(0)
