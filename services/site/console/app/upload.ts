import { market } from './api.ts'
import { fill, t } from './texts.ts'
import { FieldProblem } from './ui/form.tsx'

/** Sends a file with its progress, a share of 1, which `fetch` does not tell. The id of the upload is the answer. */
export async function upload(file: File, onProgress: (share: number) => void): Promise<string> {
  const { data } = await market.POST('/v1/uploads', { body: { name: file.name } })
  const url = underOwnName(data.uploadUrl)
  const { origin } = new URL(url)
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(data.method, url)
    for (const [name, value] of Object.entries(data.headers)) request.setRequestHeader(name, String(value))
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(new FieldProblem('file', fill(t.files.refused, { origin, status: request.status })))
    request.onerror = () => reject(new FieldProblem('file', fill(t.files.blocked, { origin, here: location.origin })))
    request.send(file)
  })
  return data.id
}

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
