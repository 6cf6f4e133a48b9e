import { LONGEST_SIDE, MAX_PIXELS } from './limits.ts'
import { sizeOfPng } from './png.ts'
import { Refusal } from './refusal.ts'
import type { Preview } from './rendering.ts'

/** The picture without EXIF, turned as EXIF says; the first frame of an animation. */
export async function previewOfImage(file: Uint8Array): Promise<Preview> {
  const image = new Bun.Image(file, { maxPixels: MAX_PIXELS })
  const content = await image
    .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
    .png()
    .bytes()
    .catch(({ code }: { code?: string }) => {
      throw new Refusal(code === 'ERR_IMAGE_TOO_MANY_PIXELS' ? 'TOO_COMPLEX' : 'INVALID')
    })
  const size = sizeOfPng(content)
  if (!size) throw new Refusal('INVALID')
  return { kind: 'IMAGE', contentType: 'image/png', ...size, content }
}
