import { createRequire } from 'node:module'
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium'
import { bounded } from './images.ts'
import { LONGEST_SIDE, PAGES } from './limits.ts'
import { encodePng } from './png.ts'
import type { Preview } from './rendering.ts'
import { RenderingError } from './rendering-error.ts'

/** Of PDFium: annotations are drawn, and bytes are in the order of a PNG. */
const ANNOTATIONS = 0x01
const RED_FIRST = 0x10
const WHITE = 0xffffffff
const BYTES_OF_PIXEL = 4

/** Reads PDFium from the disk, and returns the reader of a file. It has no engine for scripts and draws no XFA. */
export async function pdfReader() {
  const { resolve } = createRequire(import.meta.url)
  const wasmBinary = await Bun.file(resolve('@embedpdf/pdfium/pdfium.wasm')).arrayBuffer()
  return async (file: Uint8Array): Promise<{ pages: number; previews: Preview[] }> => {
    const library = await init({ wasmBinary, print: () => {}, printErr: () => {} })
    library.PDFiumExt_Init()
    const memory = copied(library, file)
    const document = library.FPDF_LoadMemDocument(memory, file.length, '')
    const pages = document === 0 ? 0 : library.FPDF_GetPageCount(document)
    // Damaged, without a page, or readable with a password only.
    if (pages < 1) throw new RenderingError('INVALID')
    const form = library.PDFiumExt_InitFormFillEnvironment(document, library.PDFiumExt_OpenFormFillInfo())
    const numbers = Array.from({ length: Math.min(PAGES, pages) }, (_, at) => at + 1)
    const previews: Preview[] = []
    for (const number of numbers) previews.push(await previewOf(library, document, form, number))
    return { pages, previews }
  }
}

/** Replaced whenever it grows, so it is read anew each time. The types of the package leave it out. */
const memoryOf = ({ pdfium }: WrappedPdfiumModule) => (pdfium as unknown as { HEAPU8: Uint8Array<ArrayBuffer> }).HEAPU8

function copied(library: WrappedPdfiumModule, file: Uint8Array): number {
  const address = library.pdfium.wasmExports.malloc(file.length)
  if (address === 0) throw new RenderingError('OUT_OF_MEMORY')
  memoryOf(library).set(file, address)
  return address
}

async function previewOf(
  library: WrappedPdfiumModule,
  document: number,
  form: number,
  number: number,
): Promise<Preview> {
  const page = library.FPDF_LoadPage(document, number - 1)
  if (page === 0) throw new RenderingError('INVALID')
  const [wide, high] = [library.FPDF_GetPageWidthF(page), library.FPDF_GetPageHeightF(page)]
  const scale = LONGEST_SIDE / Math.max(wide, high)
  const width = Math.max(1, Math.round(wide * scale))
  const height = Math.max(1, Math.round(high * scale))
  if (!(width <= LONGEST_SIDE && height <= LONGEST_SIDE)) throw new RenderingError('INVALID')
  const bitmap = library.FPDFBitmap_Create(width, height, 0)
  if (bitmap === 0) throw new RenderingError('OUT_OF_MEMORY')
  library.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE)
  const flags = ANNOTATIONS | RED_FIRST
  library.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
  // Values of form fields, which are no part of the page.
  library.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, flags)
  const start = library.FPDFBitmap_GetBuffer(bitmap)
  const pixels = memoryOf(library).slice(start, start + width * height * BYTES_OF_PIXEL)
  for (let at = 3; at < pixels.length; at += BYTES_OF_PIXEL) pixels[at] = 255
  library.FPDFBitmap_Destroy(bitmap)
  library.FPDF_ClosePage(page)
  return {
    kind: 'PAGE',
    page: number,
    contentType: 'image/png',
    ...(await bounded(encodePng(pixels, width, height))),
  }
}
