import { describe, expect, test } from 'bun:test'
import { pagesOf } from '../../testing/pdf.ts'
import { loadFonts } from './fonts.ts'
import { printable } from './glyphs.ts'
import { linesOf } from './lines.ts'
import { type Block, pdfOf, type Sheet, TEXT_WIDTH } from './paper.ts'

const fonts = await loadFonts()
const shown = (text: string) => printable(text, fonts.hasGlyph)

const sheetOf = (texts: readonly string[]): Sheet => ({
  title: 'Test',
  time: '2031-05-01T12:00:00.000Z',
  blocks: texts.map((text): Block => ({ kind: 'row', cells: [{ text }], widths: [TEXT_WIDTH] })),
  missingNote: 'A character is missing.',
  cutNote: 'The rest is left out.',
  footer: (page, pages) => `page ${page} of ${pages}`,
})
const pagesFor = async (...texts: string[]) => pagesOf(await pdfOf(sheetOf(texts), fonts))

describe('a text', () => {
  test.each([
    ['Grüße, Søren Łukasz Çelik', 'Grüße, Søren Łukasz Çelik'],
    ['Ελληνικά Кириллица', 'Ελληνικά Кириллица'],
    ['e\\u0301', 'é'],
    ['a\\u0000b\\tc\\r\\nd\\u2028e', 'a b c d e'],
    ['a\\u202etxt\\u2066b\\u200b\\ufeffc', 'atxtbc'],
    ['部品 עברית عربي हिन्दी 🙂', '�� ����� ���� ������ �'],
    ['\\ud800x', '�x'],
    ['', ''],
  ])('%j is printed as %j', (text, expected) => {
    expect(shown(JSON.parse(`"${text}"`))).toBe(expected)
  })
})

describe('lines', () => {
  const lines = (text: string, width: number) => [...linesOf(text, width, ({ length }) => length)]

  test('break between words, and a word that is too long is cut', () => {
    expect(lines('one two three', 7)).toEqual(['one two', 'three'])
    expect(lines('a abcdefghij b', 4)).toEqual(['a', 'abcd', 'efgh', 'ij b'])
    expect(lines('', 4)).toEqual([''])
    expect(lines('x'.repeat(200), 90).map(({ length }) => length)).toEqual([90, 90, 20])
  })
})

describe('a document', () => {
  test('with a character that has no glyph says so at its end, another one does not', async () => {
    expect(await pagesFor('部')).toEqual([['�', 'A character is missing.', 'page 1 of 1']])
    expect(await pagesFor('part')).toEqual([['part', 'page 1 of 1']])
  })

  test('has a text of 10,000 characters and words of 200 characters on its pages, complete', async () => {
    const words = Array.from({ length: 1250 }, (_, index) => `word${1000 + index}`.slice(0, 8))
    const long = Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(200))
    const pages = await pagesFor(words.join(' '), ...long)
    const text = pages.map((lines) => lines.slice(0, -1).join(' ')).join(' ')
    for (const word of words) expect(text).toContain(word)
    const counts = Array.from(
      { length: 10 },
      (_, digit) =>
        text
          .split(/word\d+/)
          .join('')
          .split(String(digit)).length - 1,
    )
    expect(counts).toEqual(Array.from({ length: 10 }, () => 400))
  })

  test('has at most ten pages; the last one says that the rest is left out', async () => {
    const pages = await pagesFor(...Array.from({ length: 2000 }, (_, index) => `line ${index}`))
    expect(pages).toHaveLength(10)
    expect(pages[9]?.slice(-2)).toEqual(['The rest is left out.', 'page 10 of 10'])
    expect(pages[0]?.[0]).toBe('line 0')
    const ended = await pagesFor(...Array.from({ length: 20 }, (_, index) => `line ${index}`))
    expect(ended.flat()).not.toContain('The rest is left out.')
  })

  test('of 500 lines leaves a turn to other requests after every five lines', async () => {
    let turns = 0
    let isDone = false
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await pdfOf(sheetOf(Array.from({ length: 500 }, (_, index) => `line ${index}`)), fonts)
    isDone = true
    expect(turns).toBeGreaterThanOrEqual(100)
  })

  test('is the same for the same content', async () => {
    const [one, other] = [await pdfOf(sheetOf(['part']), fonts), await pdfOf(sheetOf(['part']), fonts)]
    expect(Buffer.from(one).equals(Buffer.from(other))).toBe(true)
    const changed = await pdfOf(sheetOf(['parts']), fonts)
    expect(Buffer.from(one).equals(Buffer.from(changed))).toBe(false)
  })
})
