import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/awards.ts'
import type { Http } from '../../kit/http/http.ts'
import * as commands from './commands.ts'
import { reawardRfq } from './reawards.ts'
import { duplicateProblems } from './rules.ts'

export const awardRoutes = ({ http, ...deps }: commands.AwardDeps & { http: Http }) =>
  new Elysia({ name: 'sourcing.awards' })
    .use(http.command(operations.awardRfq, (call) => commands.awardRfq(deps, call), { checkBody: duplicateProblems }))
    .use(http.command(operations.reawardRfq, (call) => reawardRfq(deps, call), { checkBody: duplicateProblems }))
    .use(http.command(operations.acceptOffer, (call) => commands.acceptOffer(deps, call)))
