import { create } from 'content-disposition'

/** Saved under its name in any language (RFC 6266 and 8187), and never shown: the browser opens no file of ours. */
export const attachment = (name: string) => create(name, { type: 'attachment' })
