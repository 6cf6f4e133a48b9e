import { FormatRegistry } from '@sinclair/typebox'

/** The origins of a list that is separated by commas. */
export const originsIn = (list = ''): string[] => list.split(',').flatMap((part) => part.trim() || [])

/** Whether a text is an origin as a browser sends it: scheme, host and port, without a default port or a path. */
function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) || !URL.canParse(text)) return false
  return new URL(text).origin === text
}

FormatRegistry.Set('origins', (list) => originsIn(list).every(isOrigin))
