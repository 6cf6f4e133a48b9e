/**
 * Control characters and bidirectional marks, with which a text of another organization could command a terminal or
 * look like another text. Line breaks and tabs are among them.
 */
const COMMANDS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** A character as in a string of JSON. */
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text for one line of a terminal. */
export const onOneLine = (text: string): string => text.replace(COMMANDS, escaped)

/** A text of several lines for a terminal. */
export const printable = (text: string): string =>
  text.replace(COMMANDS, (character) => (/[\n\t]/.test(character) ? character : escaped(character)))

/** JSON with the same values, which is safe at a terminal. `JSON.stringify` escapes some of the characters only. */
export const jsonOf = (value: unknown, indent?: number): string => printable(JSON.stringify(value, null, indent))

/** Prints an answer as it is, or at a terminal without what would command it. */
export async function print(body: AsyncIterable<Uint8Array>, output: NodeJS.WriteStream): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    output.write(output.isTTY ? printable(decoder.decode(chunk, { stream: true }).replaceAll('\r\n', '\n')) : chunk)
  }
}
