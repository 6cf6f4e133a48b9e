/**
 * Whether the request comes from the address bar of a browser, which names HTML first. Programs name JSON or nothing.
 */
export const prefersPage = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && headers.get('accept')?.startsWith('text/html') === true

const API_PATH = /^\/(v1|v2\.3|flows\/v1)(\/|$)/
/** Whether the path belongs to the API, which answers with its error body whatever is accepted. */
export const isOfApi = (path: string): boolean => API_PATH.test(path)

/** A page for people at an address that does not exist. */
export type UnknownPage = (path: string, detail: string) => { text: string; headers: Readonly<Record<string, string>> }
