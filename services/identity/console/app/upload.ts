import { market } from './api.ts'

/** Sends a file with its progress, a share of 1, which `fetch` does not tell. The id of the upload is the answer. */
export async function upload(file: File, onProgress: (share: number) => void): Promise<string> {
  const { data } = await market.POST('/v1/uploads', { body: { name: file.name } })
  await new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(data.method, data.uploadUrl)
    for (const [name, value] of Object.entries(data.headers)) request.setRequestHeader(name, String(value))
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onload = () =>
      request.status < 300 ? resolve() : reject(new Error(`The store of files answered ${request.status}.`))
    request.onerror = () => reject(new TypeError('The store of files cannot be reached.'))
    request.send(file)
  })
  return data.id
}
