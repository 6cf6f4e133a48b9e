import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { AnyElysia, Context } from 'elysia'
import type { AnyOperation, Operation } from '../../../proto/http/operation.ts'
import { inRequestSpan } from '../traces/traces.ts'
import type { BodyRule, Handler, PublicHandler } from './context.ts'
import type { HttpDeps } from './deps.ts'
import { type Endpoint, endpointOf } from './endpoint.ts'
import type { RequestState } from './request-state.ts'
import { Responder } from './responder.ts'
import { routerPath } from './target.ts'

/** An Elysia plugin as a function. */
type Plugin = (app: AnyElysia) => AnyElysia

/** What `app.ts` adds to the context of Elysia. */
interface WithState {
  state: RequestState
}

const UNROUTED = {
  id: 'unrouted',
  method: 'GET',
  path: '/',
  tag: { name: '', description: '' },
  summary: '',
  access: 'public',
} as const

/** The HTTP side of one service: turns operations of the contract into Elysia plugins with the checks of the contract. */
export class Http {
  readonly #deps: HttpDeps
  /** The operations that have a route. */
  readonly operations: AnyOperation[] = []
  /** Answers requests that no route takes. */
  readonly unrouted: Responder

  constructor(deps: HttpDeps) {
    this.#deps = deps
    this.unrouted = new Responder(UNROUTED, deps)
  }

  /** A route of an operation that needs a token; its handler receives the caller. */
  route<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
    operation: Operation<Q, P, B, R>,
    handler: Handler<Operation<Q, P, B, R>>,
    bodyRule?: BodyRule<Static<B>>,
  ): Plugin {
    if (operation.access === 'public') throw new Error(`${operation.id} is public: use publicRoute()`)
    return this.#plugin(
      operation as never,
      endpointOf(this.#deps, operation as never, handler as never, bodyRule as never),
    )
  }

  /** A route of an operation that may be called without a token. */
  publicRoute<Q extends TObject, P extends TObject, B extends TSchema, R extends TSchema>(
    operation: Operation<Q, P, B, R>,
    handler: PublicHandler<Operation<Q, P, B, R>>,
  ): Plugin {
    if (operation.access !== 'public') throw new Error(`${operation.id} needs a token: use route()`)
    return this.#plugin(operation as never, endpointOf(this.#deps, operation as never, handler as never))
  }

  #plugin(operation: AnyOperation, endpoint: Endpoint): Plugin {
    this.operations.push(operation)
    const { service } = this.#deps
    // Elysia reads the source of a handler to learn what to parse, so only what is needed is destructured.
    const handler = ({ state, params }: Pick<Context, 'params'> & WithState) => {
      const response = inRequestSpan({ service, operation, state }, () => endpoint(state, params))
      // `return inRequestSpan(…)` would make Elysia treat the handler as async, so that a read from memory waits for a promise.
      return response
    }
    const path = routerPath(operation.path)
    return (app) => {
      app.route(operation.method, path, handler as never)
      // Bun drops the body of a HEAD response and keeps its length.
      return operation.method === 'GET' ? app.route('HEAD', path, handler as never) : app
    }
  }
}
