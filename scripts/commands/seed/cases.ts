import type { CaseExpense } from '../../../proto/http/sourcing/case-expenses.ts'
import type { CaseTask } from '../../../proto/http/sourcing/case-tasks.ts'
import type { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { type DemoDeps, expectOk, memberClients } from './requests.ts'

/** A case of the demo, beside those that its RFQs open. Organizations have their keys. */
interface DemoCase {
  by: string
  kind: Case['kind']
  /** It tells the cases apart, so that a repeated seed creates none twice. */
  title: string
  description?: string
  /** The case is about the organization's newest order in this state. */
  order?: OrderState
  /** Titles of tasks, of which some are completed. */
  tasks: readonly { title: string; description?: string; completed?: boolean }[]
  expenses: readonly { description: string; amount: string; incurredDate: string }[]
  verbs: readonly ('close' | 'archive')[]
}

/** One in each state. */
const DEMO_CASES: readonly DemoCase[] = [
  {
    by: 'ruhr-praezision',
    kind: 'QUALITY',
    title: 'Bar stock failed its incoming inspection',
    description: 'The ultrasonic test shows inclusions in two of six bars. Production is on hold.',
    order: 'ON_HOLD',
    tasks: [
      { title: 'Send the ultrasonic records of all six bars', completed: true },
      { title: 'Agree on a substitute heat', description: 'Heat 47110 is available from week 49.' },
    ],
    expenses: [
      { description: 'Ultrasonic test of six bars', amount: '640', incurredDate: '2026-11-12' },
      { description: 'Express freight of the substitute bars', amount: '185.5', incurredDate: '2026-11-16' },
    ],
    verbs: [],
  },
  {
    by: 'vestland-additive',
    kind: 'QUALITY',
    title: 'One bore out of tolerance',
    description: 'Bore 3 was 0.04 mm too wide. It was welded and machined again.',
    order: 'INSPECTION',
    tasks: [{ title: 'Send the measurement report after the rework', completed: true }],
    expenses: [{ description: 'CT scan after the rework', amount: '480', incurredDate: '2026-11-05' }],
    verbs: ['close'],
  },
  {
    by: 'tanjong-castings',
    kind: 'SOURCING',
    title: 'Capacity of the foundry until February',
    order: 'DECLINED',
    tasks: [],
    expenses: [],
    verbs: ['close', 'archive'],
  },
  {
    by: 'nordhavn',
    kind: 'SOURCING',
    title: 'Supplier audits of the next year',
    tasks: [
      { title: 'Propose dates for Essen and Bergen' },
      { title: 'List the parts that need a first article again' },
    ],
    expenses: [{ description: 'Train to Essen', amount: '212', incurredDate: '2026-10-20' }],
    verbs: [],
  },
]

/** Creates the cases with their tasks and expenses over HTTP, signed in as the members of the organizations. */
export async function ensureCases(deps: DemoDeps): Promise<void> {
  const clientOf = memberClients(deps)
  for (const demo of DEMO_CASES) await ensureCase(demo, await clientOf(demo.by))
}

/** An interrupted seed continues with a case that it left OPEN. */
async function ensureCase(demo: DemoCase, client: ApiClient): Promise<void> {
  const { kind, title, description } = demo
  const { items } = await expectOk(client.get<{ items: Case[] }>(`/flows/v1/cases?kind=${kind}&pageSize=50`))
  const known = items.find((one) => one.title === title)
  const body = { kind, title, description, orderId: demo.order && (await orderIn(client, demo.order)) }
  const { id, state } = known ?? (await expectOk(client.post<Case>('/flows/v1/cases', body)))
  if (state === 'OPEN') await fill(demo, client, `/flows/v1/cases/${id}`)
  const before = { OPEN: 0, CLOSED: 1, ARCHIVED: 2 }[state]
  for (const verb of demo.verbs.slice(before)) await expectOk(client.post(`/flows/v1/cases/${id}/${verb}`))
}

async function fill({ tasks, expenses }: DemoCase, client: ApiClient, path: string): Promise<void> {
  const present = await expectOk(client.get<{ items: CaseTask[] }>(`${path}/tasks?pageSize=50`))
  for (const { title, description, completed } of tasks) {
    const known = present.items.find((task) => task.title === title)
    const task = known ?? (await expectOk(client.post<CaseTask>(`${path}/tasks`, { title, description })))
    if (completed && task.state === 'OPEN') await expectOk(client.post(`${path}/tasks/${task.id}/complete`))
  }
  const paid = await expectOk(client.get<{ items: CaseExpense[] }>(`${path}/expenses?pageSize=50`))
  for (const { description, amount, incurredDate } of expenses) {
    if (paid.items.some((expense) => expense.description === description)) continue
    const body = { description, amount: { amount, currency: 'EUR' }, incurredDate }
    await expectOk(client.post(`${path}/expenses`, body))
  }
}

async function orderIn(client: ApiClient, state: OrderState): Promise<string | undefined> {
  const { items } = await expectOk(client.get<{ items: Order[] }>(`/v1/orders?state=${state}`))
  if (!items[0]) throw new Error(`The demo has no order in state ${state}`)
  return items[0].id
}
