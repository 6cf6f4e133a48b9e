/** The two rules that neither Biome nor dependency-cruiser expresses: names of folders, and the columns of a select. */
export interface TextViolation {
  path: string
  line: number
  rule: string
}

/** Names that say nothing about the domain. */
const EMPTY_NAME = /^(utils?|common|helpers?|managers?|misc)$/i
/** A comment of SQL, or of TypeScript on a line of its own. */
const COMMENT = /--[^\n]*|^\s*(?:\/\/|\/?\*)[^\n]*/gm

export function checkText(path: string, text: string): TextViolation[] {
  const empty = path.split('/').find((part) => part.split(/[.\-_]/).some((word) => EMPTY_NAME.test(word)))
  const name = empty ? [{ path, line: 1, rule: `${empty} says nothing: name it by its domain` }] : []
  const code = text.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' '))
  const selects = [...code.matchAll(/\bselect\s+(?:\w+\.)?\*/gi)].map(({ index }) => ({
    path,
    line: code.slice(0, index).split('\n').length,
    rule: 'a select lists its columns',
  }))
  return [...name, ...selects]
}
