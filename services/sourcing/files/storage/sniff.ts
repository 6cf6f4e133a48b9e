import { fileTypeFromBuffer } from 'file-type'
import { trianglesOfBinaryStl } from './binary-stl.ts'

/** The type of a file is detected from this many bytes. */
export const SNIFFED_BYTES = 4100

export const UNKNOWN_TYPE = 'application/octet-stream'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Types that a browser could run or display as a page are reported as unknown. */
const ACTIVE = /html|xml|svg|script|x-shockwave|wasm|xhtml|mhtml/i

/** Detects the type of a file from its first bytes and its size. Names and declared types are ignored. */
export async function sniff(head: Uint8Array, sizeBytes: number): Promise<string> {
  if (trianglesOfBinaryStl(head, sizeBytes) !== undefined) return 'model/stl'
  const text = textOf(head, sizeBytes > head.byteLength)
  if (text !== undefined) return typeOfText(text)
  // The library throws on some damaged files.
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found === undefined || ACTIVE.test(found.mime) ? UNKNOWN_TYPE : found.mime
}

/** The bytes as text if they are UTF-8 without control characters; the last character may be cut off. */
function textOf(head: Uint8Array, isCut: boolean): string | undefined {
  if (head.byteLength === 0) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: isCut })
    return [...text].some(isControl) ? undefined : text
  } catch {
    return undefined
  }
}

/** Tabs, line ends and form feeds count as text. */
const isControl = (character: string) => (character < ' ' && !'\t\n\r\f'.includes(character)) || character === '\u007f'

function typeOfText(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('%PDF-')) return 'application/pdf'
  if (start.startsWith('ISO-10303-21;')) return 'model/step'
  if (/^solid\b[^\n]*\n\s*facet\s+normal\b/.test(start)) return 'model/stl'
  // Browsers also detect HTML by a tag within the text.
  return /<[a-z!?/]/i.test(text) ? UNKNOWN_TYPE : TEXT_TYPE
}
