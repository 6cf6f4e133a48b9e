import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
const EIGHT_BITS_WITH_ALPHA = [8, 6, 0, 0, 0]

/** A PNG of red, green, blue and alpha, each a byte, row by row. */
export function encodePng(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const header = new Uint8Array(13)
  new DataView(header.buffer).setUint32(0, width)
  new DataView(header.buffer).setUint32(4, height)
  header.set(EIGHT_BITS_WITH_ALPHA, 8)
  // Each row begins with its filter, here none.
  const rows = new Uint8Array(height * (width * 4 + 1))
  for (let row = 0; row < height; row++) {
    rows.set(pixels.subarray(row * width * 4, (row + 1) * width * 4), row * (width * 4 + 1) + 1)
  }
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Uint8Array {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

/** The size that a PNG names; undefined for other content. */
export function sizeOfPng(content: Uint8Array): { width: number; height: number } | undefined {
  const isPng = content.length > 33 && SIGNATURE.every((byte, at) => content[at] === byte)
  if (!isPng) return undefined
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  return { width: view.getUint32(16), height: view.getUint32(20) }
}
