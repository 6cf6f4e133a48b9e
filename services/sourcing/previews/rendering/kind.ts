import { fileTypeFromBuffer } from 'file-type'
import { trianglesOfBinaryStl } from '../../files/storage/binary-stl.ts'

export type Kind = 'STEP' | 'IGES' | 'STL' | 'OBJ' | '3MF' | 'GLB' | 'PDF' | 'IMAGE'

/** The kind is read from the beginning of a file. */
const HEAD_BYTES = 64 * 1024

const SIGNATURES: Readonly<Record<string, Kind>> = {
  'application/pdf': 'PDF',
  'image/png': 'IMAGE',
  'image/apng': 'IMAGE',
  'image/jpeg': 'IMAGE',
  'image/webp': 'IMAGE',
  'image/gif': 'IMAGE',
  'model/gltf-binary': 'GLB',
}

/** The kind of a file by its content, never by its name. */
export async function kindOf(file: Uint8Array): Promise<Kind | undefined> {
  const head = file.subarray(0, HEAD_BYTES)
  if (head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4) {
    // Each package of this format has the part; the reader checks what it holds.
    return isPackageOfModel(file) ? '3MF' : undefined
  }
  const signature = await fileTypeFromBuffer(head)
  const kind = signature && SIGNATURES[signature.mime]
  if (kind) return kind
  if (trianglesOfBinaryStl(file, file.length) !== undefined) return 'STL'
  if (head.includes(0)) return undefined
  return kindOfText(new TextDecoder('latin1').decode(head))
}

/** The directory at the end of a zip names a model. */
function isPackageOfModel(file: Uint8Array): boolean {
  const tail = new TextDecoder('latin1').decode(file.subarray(-HEAD_BYTES))
  return /3D\/[^/\0]{1,200}\.model/i.test(tail)
}

function kindOfText(head: string): Kind | undefined {
  const text = head.replace(/^\u00ef\u00bb\u00bf/, '').trimStart()
  if (text.startsWith('ISO-10303-21')) return 'STEP'
  // The first of lines of eighty columns: its section and its number.
  if (/^[ -~]{72}S[ 0]{6}1\r?\n/.test(head)) return 'IGES'
  if (/^solid\b/i.test(text) && /^\s*facet\s+normal\b/im.test(text)) return 'STL'
  const isObject = /^(?:(?:#[^\n]*|\s*)\n)*(?:v|vt|vn|vp|o|g|s|f|mtllib|usemtl)[ \t]/.test(text)
  return isObject && /^v[ \t]+[-+.\d]+/m.test(text) ? 'OBJ' : undefined
}
