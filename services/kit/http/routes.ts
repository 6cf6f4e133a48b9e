import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { AnyOperation, Operation } from '../../../proto/http/operation.ts'
import { inRequestSpan } from '../traces/traces.ts'
import type { Exchange, Handler, OpenHandler, ProblemsOf } from './call.ts'
import type { HttpDeps } from './deps.ts'
import { describe } from './describe.ts'
import { type Endpoint, endpointOf, type Params } from './pipeline.ts'
import { routerPath } from './target.ts'

/** Answers the requests of one route, whichever router found it. */
export type RouteAnswer = (request: Request, params: Params) => Promise<Response> | Response

export interface Route {
  operation: AnyOperation
  answer: RouteAnswer
}

/** The operations of one feature with their handlers: an Elysia instance in which every route is guarded by its contract. */
export class Routes {
  readonly elysia = new Elysia({ strictPath: true, normalize: false })
  readonly routes: Route[] = []
  readonly #deps: HttpDeps
  readonly #exchangeOf: (request: Request) => Exchange
  readonly #fallback: (exchange: Exchange) => Promise<Response>

  constructor(
    deps: HttpDeps,
    exchangeOf: (request: Request) => Exchange,
    fallback: (exchange: Exchange) => Promise<Response>,
  ) {
    this.#deps = deps
    this.#exchangeOf = exchangeOf
    this.#fallback = fallback
  }

  /** Serves an operation that needs a token; the handler gets the caller. */
  on<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
    operation: Operation<Q, P, B, R>,
    handler: Handler<Operation<Q, P, B, R>>,
    problemsOf?: ProblemsOf<Static<B>>,
  ): this {
    if (operation.access === 'public') throw new Error(`${operation.id} is public: serve it with open()`)
    const endpoint = endpointOf(this.#deps, operation as never, handler as never, problemsOf as never)
    return this.#add(operation as unknown as AnyOperation, endpoint)
  }

  /** Serves one of the few operations that anybody may call without a token. */
  open<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
    operation: Operation<Q, P, B, R>,
    handler: OpenHandler<Operation<Q, P, B, R>>,
  ): this {
    if (operation.access !== 'public') throw new Error(`${operation.id} needs a token: serve it with on()`)
    return this.#add(operation as unknown as AnyOperation, endpointOf(this.#deps, operation as never, handler as never))
  }

  #add(operation: AnyOperation, endpoint: Endpoint): this {
    // Named parameters only: a handler that passes its context on makes Elysia parse query, cookies and body for nothing.
    const answer: RouteAnswer = (request, params) => {
      const exchange = this.#exchangeOf(request)
      return inRequestSpan(operation.id, request, () => endpoint(exchange, params) ?? this.#fallback(exchange))
    }
    this.elysia.route(operation.method, routerPath(operation.path), ({ request, params }) => answer(request, params), {
      detail: describe(operation),
    })
    this.routes.push({ operation, answer })
    return this
  }
}
