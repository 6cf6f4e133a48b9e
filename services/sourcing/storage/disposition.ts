import { create } from 'content-disposition'

/** Stands in the addresses of downloads too, where each character takes up to 20: stores and proxies take 4 KiB or 8. */
const MAX_CHARACTERS = 100

/** Saved under its name in any language (RFC 6266 and 8187), and never shown: the browser opens no file of ours. */
export const attachment = (name: string) => create(shortened(name), { type: 'attachment' })

/** What is too long loses its middle: the beginning tells which file it is, the end what kind. */
function shortened(name: string): string {
  const characters = Array.from(name)
  if (characters.length <= MAX_CHARACTERS || isAscii(name)) return name
  return [...characters.slice(0, MAX_CHARACTERS - 21), '…', ...characters.slice(-20)].join('')
}

const isAscii = (name: string) => [...name].every((character) => character < '\u007f')
