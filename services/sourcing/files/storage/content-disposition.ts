import { create } from 'content-disposition'

/** Download URLs contain the name, at up to 20 characters for each; stores and proxies limit a URL to 4 or 8 KiB. */
const MAX_CHARACTERS = 100

/** `attachment` with a name in any language (RFC 6266 and 8187): browsers save the file and never display it. */
export const attachment = (name: string) => create(shortened(name), { type: 'attachment' })

/** Removes the middle of a long name, so that its extension remains. */
function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_CHARACTERS || isAscii(name)) return name
  return [...characters.slice(0, MAX_CHARACTERS - 21), '…', ...characters.slice(-20)].join('')
}

const isAscii = (name: string) => [...name].every((character) => character < '\u007f')
