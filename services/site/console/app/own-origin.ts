/** Where the marketplace says that it is. The page may have been opened by another of its names. */
const publicUrl = document.querySelector<HTMLMetaElement>('meta[name=public-url]')?.content

/**
 * An address of the marketplace under the name by which the page was opened: the page may send files to no other, and
 * shows pictures of no other. Addresses of a store of files stay.
 */
export function underOwnName(address: string): string {
  const url = new URL(address)
  return url.origin === publicUrl ? `${location.origin}${url.pathname}${url.search}` : address
}
