import { ERRORS, type ErrorCode } from '../../../../proto/errors.ts'

export const ERROR_CODES_TITLE = 'Error codes'

/** Every error code with its status, cause and remedy, as Markdown. The headings are what `type` of a problem names. */
export const errorCodes = (): string => `# ${ERROR_CODES_TITLE}

\`type\` of a problem document leads here. \`/v2.3\` sends the same codes as \`error.code\`, and \`/flows/v1/oauth\` the words of OAuth
instead. The guide "Errors" shows the three formats.

${(Object.keys(ERRORS) as ErrorCode[]).map(sectionOf).join('\n\n')}
`

/** The page with each code as the id of its section; the ids of headings have no underscores. */
export const withCodesAsIds = (html: string): string =>
  html.replaceAll(/<h2 id="[^"]*"><a href="[^"]*">(\w+)<\/a>/g, '<h2 id="$1"><a href="#$1">$1</a>')

function sectionOf(code: ErrorCode): string {
  const { status, title, cause, remedy } = ERRORS[code]
  return `## ${code}

${status}: ${title}.

- **Cause:** ${cause}
- **Remedy:** ${remedy}`
}
