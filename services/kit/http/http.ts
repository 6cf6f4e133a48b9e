import type { TObject, TSchema } from '@sinclair/typebox'
import type { AnyElysia, Context } from 'elysia'
import type { BodyOf, CommandOperation, Operation } from '../../../proto/http/operation.ts'
import { type CommandRequest, type CommandSteps, commandRunner } from '../command/run.ts'
import { inRequestSpan } from '../traces/traces.ts'
import type { Answer, BodyRule, CallerContext, Handler, PublicContext, PublicHandler } from './context.ts'
import type { HttpDeps } from './deps.ts'
import { type CheckedRequest, Endpoint } from './endpoint.ts'
import type { RequestState } from './request-state.ts'
import { Responder } from './responder.ts'
import { routerPath } from './target.ts'

/** An Elysia plugin as a function. */
type Plugin = (app: AnyElysia) => AnyElysia

/** The property that `app.ts` adds to the context of Elysia. */
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
  page: true,
} as const

interface CommandOptions<O> {
  checkBody?: BodyRule<BodyOf<O>>
  /** Called after the transaction has committed. */
  afterCommit?: () => void
}

type Steps<O extends CommandOperation, Prepared extends object> = CommandSteps<O, Prepared, Answer<O>>

/** The HTTP side of one service: makes Elysia plugins of operations, with the checks of the contract. */
export class Http {
  readonly #deps: HttpDeps
  /** The operations that have a route. */
  readonly operations: Operation[] = []
  /** Answers requests that no route takes. */
  readonly unrouted: Responder

  constructor(deps: HttpDeps) {
    this.#deps = { ...deps }
    this.unrouted = new Responder(UNROUTED, this.#deps)
  }

  /** Closes the connection of each response from now on, so that its client opens the next one to another replica. */
  closeConnections(): void {
    this.#deps.closesConnections = true
  }

  /** A route of a read that needs a token; its handler receives the caller. */
  route<O extends Operation<TObject, TObject, TSchema, TSchema>>(operation: O, handler: Handler<O>): Plugin {
    if (operation.access === 'public') throw new Error(`${operation.id} is public: use publicRoute()`)
    if (operation.audit) throw new Error(`${operation.id} is a command: use command()`)
    return this.#plugin(operation, (checked) => handler(typed<CallerContext<O>>(checked)))
  }

  /** A route of an operation that may be called without a token. */
  publicRoute<O extends Operation<TObject, TObject, TSchema, TSchema>>(
    operation: O,
    handler: PublicHandler<O>,
  ): Plugin {
    if (operation.access !== 'public') throw new Error(`${operation.id} needs a token: use route()`)
    return this.#plugin(operation, (checked) => handler(typed<PublicContext<O>>(checked)))
  }

  /** A route of a command. The kit runs it in a transaction with its audit entry and its stored answer. */
  command<O extends CommandOperation>(
    operation: O,
    run: Steps<O, object>['run'],
    options: CommandOptions<O> = {},
  ): Plugin {
    return this.preparedCommand(operation, { run, ...options })
  }

  /** A route of a command with a step that its transaction must not wait for. */
  preparedCommand<O extends CommandOperation, Prepared extends object>(
    operation: O,
    { checkBody, ...steps }: Steps<O, Prepared> & CommandOptions<O>,
  ): Plugin {
    if (operation.access === 'public') throw new Error(`${operation.id} has no caller: use publicRoute()`)
    const runCommand = commandRunner(this.#deps, operation, steps)
    return this.#plugin(operation, (checked) => runCommand(typed<CommandRequest>(checked)), checkBody)
  }

  #plugin<O extends Operation>(
    operation: O,
    handle: (checked: CheckedRequest) => unknown,
    checkBody?: BodyRule<BodyOf<O>>,
  ): Plugin {
    this.operations.push(operation)
    const endpoint = new Endpoint(this.#deps, { operation, handle, checkBody })
    const { service } = this.#deps
    // Elysia reads the source of a handler to learn what to parse, so only what is needed is destructured.
    const handler = ({ state, params }: Pick<Context, 'params'> & WithState) => {
      const response = inRequestSpan({ service, operation, state }, () => endpoint.serve(state, params))
      // `return inRequestSpan(…)` would make Elysia treat the handler as async, so that a read from memory waits for
      // a promise.
      return response
    }
    const path = routerPath(operation.path)
    return (app) => {
      // Elysia's type of a handler is inferred from its schemas; this route has none, so no typed handler fits it.
      app.route(operation.method, path, handler as never)
      // Bun drops the body of a HEAD response and keeps its length.
      return operation.method === 'GET' ? app.route('HEAD', path, handler as never) : app
    }
  }
}

/** The types of the operation hold, because the endpoint has checked the input against its schemas. */
const typed = <T>(checked: CheckedRequest) => checked as unknown as T
