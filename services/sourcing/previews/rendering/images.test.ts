import { describe, expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { ready, rendered } from '../../../testing/models/rendered.ts'
import { encodePng } from './png.ts'

const gradient = (width: number, height: number) =>
  encodePng(
    Uint8Array.from({ length: width * height * 4 }, (_, at) => (at % 4 === 3 ? 255 : Math.floor(at / 4) % 251)),
    width,
    height,
  )
const png = gradient(40, 20)
const jpeg = await new Bun.Image(png).jpeg().bytes()
const webp = await new Bun.Image(png).webp().bytes()
/** A white pixel. */
const gif = Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')

/** EXIF of one entry, the orientation, and a text that tells where the picture was taken. */
function withExif(picture: Uint8Array, orientation: number): Uint8Array {
  const place = Buffer.from('48.137 N 11.575 E\0')
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0', 'latin1'),
    Uint8Array.of(orientation, 0, 0, 0, 0, 0, 0),
    place,
  ])
  const marker = Buffer.alloc(4)
  marker.writeUInt16BE(0xffe1, 0)
  marker.writeUInt16BE(exif.length + 2, 2)
  return Buffer.concat([picture.subarray(0, 2), marker, exif, picture.subarray(2)])
}

describe('an image', () => {
  test.each([
    ['PNG', png, 40, 20],
    ['JPEG', jpeg, 40, 20],
    ['WebP', webp, 40, 20],
    ['GIF', gif, 1, 1],
  ])('%s: a PNG of its size', async (_, file, width, height) => {
    const { previews, geometry } = await ready(file)
    expect(geometry).toBeUndefined()
    expect(previews).toMatchObject([{ kind: 'IMAGE', contentType: 'image/png', width, height }])
  })

  test('a large one has 1,600 pixels on its longest side', async () => {
    expect((await ready(gradient(3200, 1000))).previews).toMatchObject([{ width: 1600, height: 500 }])
    expect((await ready(gradient(100, 2000))).previews).toMatchObject([{ width: 80, height: 1600 }])
  })

  test('EXIF turns the picture and is removed', async () => {
    const { previews } = await ready(withExif(jpeg, 6))
    expect(previews).toMatchObject([{ width: 20, height: 40 }])
    expect(new TextDecoder('latin1').decode(previews[0]?.content)).not.toMatch(/exif|48\.137/i)
  })

  test('a small file that claims 2,500 megapixels: TOO_COMPLEX', async () => {
    const header = Buffer.from(png)
    header.writeUInt32BE(50_000, 16)
    header.writeUInt32BE(50_000, 20)
    header.writeUInt32BE(crc32(header.subarray(12, 29)), 29)
    expect(await rendered(header)).toEqual({ state: 'FAILED', reason: 'TOO_COMPLEX' })
  })

  test.each([
    ['truncated PNG', png.subarray(0, 60)],
    ['PNG with noise', Buffer.concat([png.subarray(0, 45), Buffer.alloc(100, 7)])],
  ])('%s: INVALID', async (_, file) => {
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })
})

describe('the content decides, not the name', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
  test.each([
    ['an SVG called .png', 'drawing.png', svg],
    ['an SVG with a declaration', 'drawing.png', `<?xml version="1.0"?>\n${svg}`],
    ['HTML called .pdf', 'drawing.pdf', '<html><script>alert(1)</script></html>'],
    ['text called .step', 'part.step', 'a part of steel\n'],
    ['noise called .stl', 'part.stl', Buffer.alloc(1000, 7)],
    [
      'a zip of text called .3mf',
      'part.3mf',
      Buffer.from(
        'UEsDBAoAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAYVBLAQIKAAoAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAABhUEsFBgAAAAABAAEALwAAAB8AAAAAAA==',
        'base64',
      ),
    ],
    ['nothing', 'part.step', ''],
  ])('%s: UNSUPPORTED', async (_, name, content) => {
    expect(await rendered(content, { name })).toEqual({ state: 'UNSUPPORTED' })
  })

  test('a PNG called .step is an image', async () => {
    expect((await ready(png, { name: 'part.step' })).previews).toMatchObject([{ kind: 'IMAGE' }])
  })
})

test('noise, which compresses badly, is made smaller until the preview has at most 3 MB', async () => {
  const pixels = new Uint8Array(1600 * 1600 * 4)
  for (let at = 0; at < pixels.length; at += 65_536) crypto.getRandomValues(pixels.subarray(at, at + 65_536))
  const noise = encodePng(pixels, 1600, 1600)
  expect(noise.byteLength).toBeGreaterThan(3 * 1024 * 1024)
  const { previews } = await ready(noise)
  expect(previews.map(({ width, height }) => [width, height])).toEqual([[800, 800]])
  expect(previews[0]?.content.byteLength).toBeLessThanOrEqual(3 * 1024 * 1024)
})
