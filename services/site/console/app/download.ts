import { market } from './api.ts'

/** Reads a file with the session, which a link could not send, and saves it. */
export async function saveFrom<P extends Parameters<typeof market.GET>[0]>(
  path: P,
  name: string,
  params: { path?: object; query?: object } = {},
): Promise<void> {
  const { data } = await (market.GET as CallableFunction)(path, { params, parseAs: 'blob' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** The text of a file in UTF-8, or in the encoding that older spreadsheets write. */
export async function textOfFile(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
