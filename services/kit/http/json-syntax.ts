import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'

/** By the names of the parser's codes. */
const PROBLEMS: Record<string, string> = {
  InvalidSymbol: 'there is an unknown word',
  InvalidNumberFormat: 'there is an invalid number',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a closing brace is missing',
  CloseBracketExpected: 'a closing bracket is missing',
  EndOfFileExpected: 'there is text after the value',
  InvalidCommentToken: 'there is a comment',
  UnexpectedEndOfString: 'a string has no closing quote',
  InvalidUnicode: 'there is an invalid Unicode escape',
  InvalidEscapeCharacter: 'there is an invalid escape',
  InvalidCharacter: 'there is a character that must be escaped',
}

/** The first error of a text that is not JSON, with its position. Bun's own message has none. */
export function syntaxProblem(text: string): string {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  const [first] = errors.toSorted((a, b) => a.offset - b.offset)
  // The parser accepts a byte order mark, which JSON does not have.
  if (!first) return 'there is a character that is not allowed at line 1, column 1'
  const before = text.slice(0, first.offset).split('\n')
  const column = (before.at(-1) ?? '').length + 1
  return `${PROBLEMS[printParseErrorCode(first.error)] ?? 'there is an error'} at line ${before.length}, column ${column}`
}
