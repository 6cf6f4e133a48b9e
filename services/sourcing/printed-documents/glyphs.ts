/** Stands for a character that the fonts lack. */
export const MISSING = '�'

/**
 * Scripts that are written from left to right with a glyph for each character. A text of another script would have its
 * glyphs in a wrong order, which is worse than none.
 */
const WRITTEN = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]$/u
const SPACE = /[\p{Z}\p{Cc}]+/gu
/** Invisible characters, of which some change the direction of what follows. */
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Co}\p{Variation_Selector}]/gu

/** A text in one line: with single spaces, without invisible characters and with a sign for each that has no glyph. */
export const printable = (text: string, hasGlyph: (codePoint: number) => boolean): string =>
  [...text.toWellFormed().normalize('NFC').replace(SPACE, ' ').replace(INVISIBLE, '').trim()]
    .map((character) => (WRITTEN.test(character) && hasGlyph(character.codePointAt(0) ?? 0) ? character : MISSING))
    .join('')
