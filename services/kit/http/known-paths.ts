import type { Operation } from '../../../proto/http/operation.ts'
import { pathPattern } from './target.ts'

/** The paths of a process, for requests that no route takes. */
export class KnownPaths {
  readonly #operations: readonly { path: string; pattern: RegExp; method: string; isPage: boolean }[]

  constructor(operations: readonly Operation[]) {
    this.#operations = operations.map(({ path, method, page = false }) => {
      return { path, pattern: pathPattern(path), method, isPage: page }
    })
  }

  /** The methods of a path; undefined for an unknown path. */
  methodsOf(path: string): string[] | undefined {
    const methods = this.#at(path).map(({ method }) => method)
    if (methods.length === 0) return undefined
    return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])]
  }

  /** The page that has this path without its trailing slash, which people type. */
  pageWithoutSlash(path: string): string | undefined {
    return this.#operations.find((operation) => operation.isPage && `${operation.path}/` === path)?.path
  }

  /** Names the path that was meant, if the request has a slash too many. */
  detailOfUnknown(path: string): string {
    const [meant] = this.#at(path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, ''))
    const nothing = 'There is nothing at this path.'
    if (meant) return `${nothing} It has a slash too many: the path is ${meant.path}.`
    const [specified] = this.#at(path.replace(/^\/flows/, ''))
    return specified ? `${nothing} See ${specified.path}.` : nothing
  }

  /** Names the operation with this method in the other of `/v1` and `/flows/v1`, which has most changes of records. */
  detailOfRefused(method: string, path: string): string {
    const other = path.startsWith('/flows/') ? path.slice('/flows'.length) : `/flows${path}`
    const meant = this.#at(other).find((operation) => operation.method === method)
    const allowed = `${method} is not allowed here. Allowed: ${this.methodsOf(path)?.join(', ')}.`
    return meant ? `${allowed} ${method} is at ${meant.path}.` : allowed
  }

  /** The operations at a path. One without parameters comes first: `redeem` is a verb, but could be an id. */
  #at(path: string) {
    const found = this.#operations.filter(({ pattern }) => pattern.test(path))
    const literal = found.filter((operation) => !operation.path.includes('{'))
    return literal.length > 0 ? literal : found
  }
}
