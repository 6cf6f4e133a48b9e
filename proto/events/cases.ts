import { type TSchema, Type } from '@sinclair/typebox'
import { closed } from '../http/shapes.ts'
import { CaseExpense } from '../http/sourcing/case-expenses.ts'
import { CaseTask } from '../http/sourcing/case-tasks.ts'
import { Case } from '../http/sourcing/cases.ts'
import type { WebhookEventType } from '../webhook-events.ts'
import { Cause } from './shapes.ts'

const ofCase = (description: string) => closed({ case: Case, cause: Type.Optional(Cause) }, { description })
const ofTask = (description: string) => closed({ case: Case, task: CaseTask }, { description })
const ofExpense = (description: string) => closed({ case: Case, expense: CaseExpense }, { description })

type CaseEventType = Extract<WebhookEventType, `cases.${string}`>

/** The data of each event of a case, its tasks and its expenses, as they are after the change. */
export const CASE_EVENTS = {
  'cases.created': ofCase(
    'A case was created. The publication of an RFQ, and an invitation, create one by themselves.',
  ),
  'cases.updated': ofCase(
    'A case or its documents changed, it was opened again, or its RFQ or an offer for it changed. `cause` tells which record.',
  ),
  'cases.closed': ofCase('A case was closed, by a party or by the end of its RFQ.'),
  'cases.archived': ofCase('A closed case was archived.'),
  'cases.unarchived': ofCase('An archived case was restored.'),
  'cases.tasks.created': ofTask('A task was created.'),
  'cases.tasks.updated': ofTask('A task was changed.'),
  'cases.tasks.completed': ofTask('A task was completed.'),
  'cases.tasks.deleted': ofTask('A task was deleted. The data has the task as it was.'),
  'cases.expenses.created': ofExpense('An expense was created.'),
  'cases.expenses.updated': ofExpense('An expense was changed.'),
  'cases.expenses.deleted': ofExpense('An expense was deleted. The data has the expense as it was.'),
} as const satisfies Record<CaseEventType, TSchema>
