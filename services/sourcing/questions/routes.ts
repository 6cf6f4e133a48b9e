import { Elysia } from 'elysia'
import * as operations from '../../../proto/http/sourcing/rfq-questions.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import type { RfqDeps } from '../rfqs/followers.ts'
import * as commands from './commands.ts'
import { findReader, listQuestions, listQuestionsFor } from './queries.ts'
import { audienceProblems } from './rules.ts'

type Deps = RfqDeps & RouteKit

export const questionRoutes = ({ http, pagination, ...deps }: Deps) =>
  new Elysia({ name: 'sourcing.questions' })
    .use(
      http.route(operations.listRfqQuestions, async (context) => {
        const { caller, params, read } = context
        const { orgId } = caller
        const { id } = params
        const { role, isDeclined } = found(await read((sql) => findReader(sql, orgId, id)))
        return pagination.json(context, `questions ${id} ${role}`, (window, readPage) =>
          readPage((sql) =>
            role === 'INVITEE'
              ? listQuestionsFor(sql, id, { orgId, isDeclined }, window)
              : listQuestions(sql, id, window),
          ),
        )
      }),
    )
    .use(http.command(operations.askRfqQuestion, (call) => commands.askQuestion(deps, call)))
    .use(
      http.command(operations.answerRfqQuestion, (call) => commands.answerQuestion(deps, call), {
        checkBody: audienceProblems,
      }),
    )
    .use(http.command(operations.dismissRfqQuestion, (call) => commands.dismissQuestion(deps, call)))
    .use(http.command(operations.clarifyRfq, (call) => commands.clarify(deps, call)))
