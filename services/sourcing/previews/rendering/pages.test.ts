import { describe, expect, test } from 'bun:test'
import PDFDocument from 'pdfkit'
import { ready, rendered } from '../../../testing/models/rendered.ts'

/** A document of landscape pages, each with its number and a frame. */
async function pdf(pages: number, change: (document: PDFKit.PDFDocument) => void = () => {}): Promise<Uint8Array> {
  const document = new PDFDocument({ size: 'A3', layout: 'landscape', info: { CreationDate: new Date(0) } })
  for (let page = 1; page <= pages; page++) {
    if (page > 1) document.addPage()
    document.fontSize(40).text(`Sheet ${page}`, 100, 100)
    document.rect(20, 20, 1150, 800).stroke()
  }
  change(document)
  document.end()
  return new Uint8Array(Buffer.concat(await Array.fromAsync(document)))
}

describe('PDF', () => {
  test('each of the first ten pages, 1,600 pixels wide, and the count of all', async () => {
    const { pages, previews, geometry } = await ready(await pdf(12))
    expect([pages, geometry]).toEqual([12, undefined])
    expect(previews.map(({ content, ...preview }) => preview)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((page) => ({
        ...{ kind: 'PAGE', page, contentType: 'image/png', width: 1600, height: 1131 },
      })),
    )
    expect(new Set(previews.map(({ content }) => Bun.hash(content))).size).toBe(10)
  })

  test('a page of one page, upright', async () => {
    const file = await pdf(0, (document) => document.addPage({ size: 'A4' }).text('upright'))
    const { previews } = await ready(file)
    expect(previews.at(-1)).toMatchObject({ width: 1131, height: 1600 })
  })

  test('scripts of a document do not run: it looks as without them', async () => {
    const script = "this.getField('a'); app.alert('opened'); while (true) {}"
    const withScript = await pdf(1, (document) => {
      const action = document.ref({ S: 'JavaScript', JS: new String(script) })
      action.end('')
      const { _root: catalog } = document as unknown as { _root: { data: object } }
      Object.assign(catalog.data, { OpenAction: action })
    })
    expect(new TextDecoder('latin1').decode(withScript)).toContain('/OpenAction')
    const [scripted, plain] = [await ready(withScript), await ready(await pdf(1))]
    expect(scripted.previews[0]?.content).toEqual(plain.previews[0]?.content as Uint8Array)
  })

  test.each([
    ['no more than its signature', '%PDF-1.7\n'],
    ['noise', `%PDF-1.7\n${'<< /Kids [1 0 R] >> '.repeat(1000)}`],
    [
      'without a page',
      '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>',
    ],
  ])('%s: INVALID', async (_, file) => {
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })

  test('readable with a password only: INVALID', async () => {
    const document = new PDFDocument({ userPassword: 'secret' })
    document.text('secret').end()
    const file = new Uint8Array(Buffer.concat(await Array.fromAsync(document)))
    expect(await rendered(file)).toEqual({ state: 'FAILED', reason: 'INVALID' })
  })
})
