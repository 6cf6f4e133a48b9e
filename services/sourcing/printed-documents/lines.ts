/** Returns the width of a word or a character on paper. */
type Measure = (text: string) => number

/**
 * The lines of a text in a width. A word that is longer than a line is cut. Each line is measured when it is wanted,
 * because measuring is most of the work.
 */
export function* linesOf(text: string, width: number, measure: Measure): Generator<string, undefined> {
  const space = measure(' ')
  let line: string | undefined
  let length = 0
  for (const word of piecesOf(text, width, measure)) {
    const added = measure(word)
    if (line !== undefined && length + space + added <= width) {
      line += ` ${word}`
      length += space + added
      continue
    }
    if (line !== undefined) yield line
    line = word
    length = added
  }
  yield line ?? ''
  return undefined
}

/** The words of a text, each in pieces that fit. */
function* piecesOf(text: string, width: number, measure: Measure) {
  for (const word of text.split(' ')) {
    if (word.length < MAX_WHOLE && measure(word) <= width) yield word
    else yield* cut(word, width, measure)
  }
}

/** Characters are measured singly, because the cost of a piece grows with its length. */
function* cut(word: string, width: number, measure: Measure) {
  let piece = ''
  let length = 0
  for (const character of word) {
    const added = measure(character)
    if (piece !== '' && length + added > width) {
      yield piece
      piece = ''
      length = 0
    }
    piece += character
    length += added
  }
  yield piece
}

/** A longer word is cut without being measured as a whole. */
const MAX_WHOLE = 100
