import { setImmediate } from 'node:timers/promises'
import PDFDocument from 'pdfkit'
import { MAX_PRINTED_PAGES } from '../../../proto/http/sourcing/printed-documents.ts'
import type { FontName, Fonts } from './fonts.ts'
import { MISSING, printable } from './glyphs.ts'
import { linesOf } from './lines.ts'

/** A text in a column of a row. */
export interface Cell {
  text: string
  font?: FontName
  size?: number
  align?: 'left' | 'right'
}

/** What a document consists of, from top to bottom. */
export type Block =
  | { kind: 'row'; cells: readonly Cell[]; widths: readonly number[] }
  | { kind: 'space'; height: number }
  | { kind: 'rule' }

export interface Sheet {
  title: string
  time: string
  blocks: readonly Block[]
  /** Added at the end where a character could not be printed. */
  missingNote: string
  /** The last line of a document that is too long. */
  cutNote: string
  footer(page: number, pages: number): string
}

const MARGIN = 50
const FOOTER_HEIGHT = 30
const SIZE = 9.5
const LINE_HEIGHT = 1.4
const GAP = 8
const BLACK = '#111111'
const GREY = '#888888'

/** The width between the margins of A4. */
export const TEXT_WIDTH = 595.28 - 2 * MARGIN

/** Lines after which other requests have their turn. */
const LINES_AT_ONCE = 5

/** Writes a sheet as PDF. The same sheet gives the same bytes. */
export async function pdfOf(sheet: Sheet, fonts: Fonts): Promise<Uint8Array> {
  const paper = new Paper(sheet, fonts)
  for (const block of sheet.blocks) await paper.add(block)
  return paper.finish()
}

class Paper {
  readonly #sheet: Sheet
  readonly #fonts: Fonts
  readonly #pdf: PDFKit.PDFDocument
  readonly #chunks: Uint8Array[] = []
  readonly #widths = new Map<string, number>()
  readonly #bottom: number
  #y = MARGIN
  #pages = 1
  #lines = 0
  #isFull = false
  #lacksGlyphs = false

  constructor(sheet: Sheet, fonts: Fonts) {
    this.#sheet = sheet
    this.#fonts = fonts
    const time = new Date(sheet.time)
    this.#pdf = new PDFDocument({
      size: 'A4',
      margin: MARGIN,
      bufferPages: true,
      // No default font, which would be read from a file for each document.
      font: '',
      info: { Title: this.#printable(sheet.title), CreationDate: time, ModDate: time },
    })
    this.#pdf.registerFont('regular', fonts.files.regular).registerFont('bold', fonts.files.bold)
    this.#pdf.on('data', (chunk: Uint8Array) => this.#chunks.push(chunk))
    this.#bottom = this.#pdf.page.height - MARGIN - FOOTER_HEIGHT
  }

  async add(block: Block): Promise<void> {
    if (block.kind === 'space') this.#y += block.height
    else if (block.kind === 'rule') this.#rule()
    else await this.#row(block)
  }

  async finish(): Promise<Uint8Array> {
    if (this.#lacksGlyphs) {
      this.#y += 2 * GAP
      await this.#row({ kind: 'row', cells: [{ text: this.#sheet.missingNote, size: 8 }], widths: [TEXT_WIDTH] })
    }
    for (let page = 0; page < this.#pages; page++) {
      this.#pdf.switchToPage(page)
      // The footer is below the margin, where a text would otherwise begin a page.
      this.#pdf.page.margins.bottom = 0
      const text = this.#printable(this.#sheet.footer(page + 1, this.#pages))
      this.#write({ text, size: 8 }, text, MARGIN, this.#pdf.page.height - MARGIN - 10)
    }
    const ended = new Promise((resolve) => this.#pdf.on('end', resolve))
    this.#pdf.end()
    await ended
    return Buffer.concat(this.#chunks)
  }

  /** Cells beside each other, line by line, so that a row may continue on the next page. */
  async #row({ cells: wanted, widths }: Extract<Block, { kind: 'row' }>): Promise<void> {
    const cells = wanted.map((cell, index) => this.#fitted(cell, (widths[index] ?? TEXT_WIDTH) - GAP))
    const columns = cells.map((cell, index) => {
      const text = this.#printable(cell.text)
      return linesOf(text, (widths[index] ?? TEXT_WIDTH) - GAP, (word) => this.#widthOf(cell, word))
    })
    const height = LINE_HEIGHT * Math.max(...cells.map(({ size = SIZE }) => size))
    for (;;) {
      const lines = columns.map((column) => column.next().value)
      if (this.#isFull || lines.every((line) => line === undefined)) return
      this.#makeRoom(height)
      if (this.#isFull) return
      this.#writeLine(cells, widths, lines)
      this.#y += height
      this.#lines += 1
      if (this.#lines % LINES_AT_ONCE === 0) await setImmediate()
    }
  }

  /** An amount stays in one line, because one in pieces could be misread. */
  #fitted(cell: Cell, width: number): Cell {
    if (cell.align !== 'right') return cell
    const { size = SIZE } = cell
    const present = this.#lineWidth(cell, this.#printable(cell.text))
    return present <= width ? cell : { ...cell, size: Math.floor((10 * size * width) / present) / 10 }
  }

  #writeLine(cells: readonly Cell[], widths: readonly number[], lines: readonly (string | undefined)[]): void {
    let x = MARGIN
    for (const [column, cell] of cells.entries()) {
      const width = widths[column] ?? TEXT_WIDTH
      const line = lines[column]
      const indent = cell.align === 'right' && line ? width - this.#lineWidth(cell, line) : 0
      if (line) this.#write(cell, line, x + indent, this.#y)
      x += width
    }
  }

  #rule(): void {
    if (this.#isFull) return
    this.#makeRoom(GAP)
    const y = this.#y + GAP / 2
    this.#pdf
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + TEXT_WIDTH, y)
      .lineWidth(0.5)
      .stroke(GREY)
    this.#y += GAP
  }

  /** Begins a page where the height does not fit. The last page ends with a note. */
  #makeRoom(height: number): void {
    if (this.#y + height <= this.#bottom) return
    if (this.#pages === MAX_PRINTED_PAGES) {
      this.#isFull = true
      const text = this.#printable(this.#sheet.cutNote)
      this.#write({ text, font: 'bold' }, text, MARGIN, this.#bottom)
      return
    }
    this.#pdf.addPage()
    this.#pages += 1
    this.#y = MARGIN
  }

  #write({ font = 'regular', size = SIZE }: Cell, line: string, x: number, y: number): void {
    this.#pdf.font(font).fontSize(size).fillColor(BLACK).text(line, x, y, { lineBreak: false })
  }

  #lineWidth(cell: Cell, line: string): number {
    const widths = line.split(' ').map((word) => this.#widthOf(cell, word))
    return widths.reduce((sum, width) => sum + this.#widthOf(cell, ' ') + width)
  }

  #widthOf({ font = 'regular', size = SIZE }: Cell, text: string): number {
    const key = `${font} ${size} ${text}`
    const known = this.#widths.get(key)
    if (known !== undefined) return known
    const width = this.#pdf.font(font).fontSize(size).widthOfString(text)
    this.#widths.set(key, width)
    return width
  }

  #printable(text: string): string {
    const shown = printable(text, this.#fonts.hasGlyph)
    this.#lacksGlyphs ||= shown.includes(MISSING)
    return shown
  }
}
