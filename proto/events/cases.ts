import { type TSchema, Type } from '@sinclair/typebox'
import { closed } from '../http/shapes.ts'
import { CaseExpense } from '../http/sourcing/case-expenses.ts'
import { CaseTask } from '../http/sourcing/case-tasks.ts'
import { Case } from '../http/sourcing/cases.ts'
import type { WebhookEventType } from '../webhook-events.ts'
import { Cause } from './shapes.ts'

const Message = closed(
  {
    id: Type.String({ description: 'Id of the message.', examples: ['message_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    authorOrgId: Type.String({
      description: 'Organization that wrote the message.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
  },
  { description: 'The new message. Absent for other changes.' },
)

const ofCase = (description: string) => closed({ case: Case, cause: Type.Optional(Cause) }, { description })
const ofChange = (description: string) =>
  closed({ case: Case, cause: Type.Optional(Cause), message: Type.Optional(Message) }, { description })
const ofTask = (description: string) => closed({ case: Case, task: CaseTask }, { description })
const ofExpense = (description: string) => closed({ case: Case, expense: CaseExpense }, { description })

type CaseEventType = Extract<WebhookEventType, `cases.${string}`>

/** The data of each event of a case, its tasks and its expenses, as they are after the change. */
export const CASE_EVENTS = {
  'cases.created': ofCase(
    'A case was created. The publication of an RFQ, and an invitation, create one by themselves.',
  ),
  'cases.updated': ofChange(
    'A case or its documents changed, it got a message, it was opened again, or its RFQ or an offer for it changed. `cause` tells which record, `message` which message.',
  ),
  'cases.closed': ofCase('A case was closed, by a party or by the end of its RFQ or order.'),
  'cases.archived': ofCase('A closed case was archived.'),
  'cases.unarchived': ofCase('An archived case was restored.'),
  'cases.tasks.created': ofTask('A task was created.'),
  'cases.tasks.updated': ofTask(
    'A task was changed. A change of its user is announced only to the organization of the user.',
  ),
  'cases.tasks.completed': ofTask('A task was completed.'),
  'cases.tasks.deleted': ofTask('A task was deleted. The data has the task as it was.'),
  'cases.expenses.created': ofExpense('An expense was created.'),
  'cases.expenses.updated': ofExpense('An expense was changed, approved or rejected.'),
  'cases.expenses.deleted': ofExpense('An expense was deleted. The data has the expense as it was.'),
} as const satisfies Record<CaseEventType, TSchema>
