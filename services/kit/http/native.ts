import type { Route } from './routes.ts'
import { routerPath } from './target.ts'

type Respond = (request: Bun.BunRequest) => Promise<Response> | Response

/** Routes as `Bun.serve` takes them: path, then method. */
export type NativeRoutes = Record<string, Record<string, Respond>>

export interface Native {
  /** What stands before every route: an answer to what none may see. */
  inadmissible(request: Request): Response | undefined
  /** Where a request goes that Bun's router has taken for another one. */
  elsewhere(request: Request): Promise<Response> | Response
}

const DOTS = new Set(['.', '..'])

/**
 * The routes that Bun's own router can tell apart: it has found one before any JavaScript runs. Elysia answers what is
 * left: verbs behind a parameter, which Bun takes for a part of its name, and paths in unusual spellings.
 */
export function nativeRoutes(routes: readonly Route[], { inadmissible, elsewhere }: Native): NativeRoutes {
  const native: NativeRoutes = {}
  for (const { operation, answer } of routes) {
    if (operation.path.includes('}:')) continue
    const names = Object.keys(operation.params?.properties ?? {})
    const respond: Respond = (request) => {
      // Dots are steps of the path, which Bun's router does not take.
      if (names.some((name) => DOTS.has(String(request.params[name])))) return elsewhere(request)
      return inadmissible(request) ?? answer(request, request.params)
    }
    // Bun leaves the body of a HEAD out, and says how long it would have been.
    const head = operation.method === 'GET' ? { HEAD: respond } : {}
    const path = routerPath(operation.path)
    native[path] = { ...native[path], [operation.method]: respond, ...head }
  }
  return native
}
