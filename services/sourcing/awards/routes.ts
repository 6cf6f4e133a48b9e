import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/awards.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'

type Deps = commands.CommandDeps & { http: Http }

export const awardRoutes = ({ http, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.awards' })
    .use(http.route(operations.awardRfq, (call) => commands.awardRfq(deps, call)))
    .use(http.route(operations.acceptOffer, (call) => commands.acceptOffer(deps, call)))
