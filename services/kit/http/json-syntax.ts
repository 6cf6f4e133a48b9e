import { printParseErrorCode, visit } from 'jsonc-parser'

/** The texts of problems, by the name of the parser's error code. */
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
  if (text.startsWith('\u{feff}')) return 'there is a byte order mark'
  let problem = 'there is an error'
  const firstError = new Error('stops the parser')
  try {
    visit(
      text,
      {
        onError(code, _offset, _length, line, column) {
          const found = PROBLEMS[printParseErrorCode(code)] ?? 'there is an error'
          problem = `${found} at line ${line + 1}, column ${column + 1}`
          throw firstError
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    )
  } catch (error) {
    if (error !== firstError) throw error
  }
  return problem
}
