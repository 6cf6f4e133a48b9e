import { LONGEST_SIDE, MAX_PICTURE_BYTES, MAX_PIXELS } from './limits.ts'
import { sizeOfPng } from './png.ts'
import type { Preview } from './rendering.ts'
import { RenderingError } from './rendering-error.ts'

/** The picture without EXIF, turned as EXIF says; the first frame of an animation. */
export async function previewOfImage(file: Uint8Array): Promise<Preview> {
  const image = new Bun.Image(file, { maxPixels: MAX_PIXELS })
  const content = await image
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .png()
    .bytes()
    .catch(({ code }: { code?: string }) => {
      throw new RenderingError(code === 'ERR_IMAGE_TOO_MANY_PIXELS' ? 'TOO_COMPLEX' : 'INVALID')
    })
  return { kind: 'IMAGE', contentType: 'image/png', ...(await bounded(content)) }
}

/** A PNG of bounded size: one that compresses badly, such as noise, is halved until it is small enough. */
export async function bounded(png: Uint8Array): Promise<{ width: number; height: number; content: Uint8Array }> {
  let content = png
  for (;;) {
    const size = sizeOfPng(content)
    if (!size) throw new RenderingError('INVALID')
    if (content.byteLength <= MAX_PICTURE_BYTES) return { ...size, content }
    const longest = Math.max(1, Math.floor(Math.max(size.width, size.height) / 2))
    content = await new Bun.Image(content).resize(longest, longest, { fit: 'inside' }).png().bytes()
  }
}
