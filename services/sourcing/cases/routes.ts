import { Elysia } from 'elysia'
import * as ofExpenses from '../../../proto/http/sourcing/case-expenses.ts'
import * as ofMessages from '../../../proto/http/sourcing/case-messages.ts'
import * as ofTasks from '../../../proto/http/sourcing/case-tasks.ts'
import * as operations from '../../../proto/http/sourcing/cases.ts'
import { documentOf } from '../../kit/db/json-text.ts'
import type { RouteKit } from '../../kit/service/service.ts'
import { subrecordReads } from '../subrecords/routes.ts'
import * as commands from './commands.ts'
import { decideExpense, expenses } from './expenses/expenses.ts'
import { listCases } from './list-queries.ts'
import * as messages from './messages/messages.ts'
import { listMessages } from './messages/queries.ts'
import { findCase } from './queries.ts'
import { referenceProblems } from './rules.ts'
import { documentFor, listTasks } from './tasks/queries.ts'
import { dueProblems } from './tasks/rules.ts'
import * as tasks from './tasks/tasks.ts'

export const caseRoutes = ({ http, pagination }: RouteKit) => {
  const subrecords = subrecordReads({ http, pagination }, findCase)
  return new Elysia({ name: 'sourcing.cases' })
    .use(http.route(operations.listCases, (context) => pagination.ofCaller(context, 'cases', listCases)))
    .use(
      http.route(operations.getCase, async ({ caller, params, read }) =>
        documentOf(await read((sql) => findCase(sql, caller.orgId, params.id))),
      ),
    )
    .use(http.command(operations.createCase, commands.createCase, { checkBody: referenceProblems }))
    .use(http.command(operations.patchCase, commands.patchCase))
    .use(http.command(operations.closeCase, (call) => commands.moveCase('close', call)))
    .use(http.command(operations.reopenCase, (call) => commands.moveCase('reopen', call)))
    .use(http.command(operations.archiveCase, (call) => commands.moveCase('archive', call)))
    .use(http.command(operations.unarchiveCase, (call) => commands.moveCase('unarchive', call)))
    .use(subrecords('task', { list: ofTasks.listCaseTasks, get: ofTasks.getCaseTask, documentFor }))
    .use(http.command(ofTasks.createCaseTask, tasks.createTask, { checkBody: dueProblems }))
    .use(http.command(ofTasks.patchCaseTask, tasks.patchTask, { checkBody: dueProblems }))
    .use(http.command(ofTasks.assignCaseTask, tasks.assignTask))
    .use(http.command(ofTasks.completeCaseTask, tasks.completeTask))
    .use(http.command(ofTasks.deleteCaseTask, tasks.deleteTask))
    .use(http.route(ofTasks.listTasks, (context) => pagination.ofCaller(context, 'tasks', listTasks)))
    .use(
      http.route(ofMessages.listCaseMessages, (context) =>
        pagination.ofRecord(context, 'messages', findCase, (sql, id, window) =>
          listMessages(sql, context.caller.orgId, id, window),
        ),
      ),
    )
    .use(http.command(ofMessages.createCaseMessage, messages.createMessage))
    .use(http.command(ofMessages.readCase, messages.readCase))
    .use(subrecords('expense', { list: ofExpenses.listCaseExpenses, get: ofExpenses.getCaseExpense }))
    .use(http.command(ofExpenses.createCaseExpense, expenses.create))
    .use(http.command(ofExpenses.patchCaseExpense, expenses.patch))
    .use(http.command(ofExpenses.approveCaseExpense, (call) => decideExpense('approve', call)))
    .use(http.command(ofExpenses.rejectCaseExpense, (call) => decideExpense('reject', call)))
    .use(http.command(ofExpenses.deleteCaseExpense, expenses.delete))
}
