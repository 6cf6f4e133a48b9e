import { useSignal } from '@preact/signals'
import { WEBHOOK_EVENT_TYPES } from '../../../../../proto/webhook-events.ts'
import { command, market, type WebhookEndpoint, type WebhookSubscription } from '../api.ts'
import { useRecord } from '../data.ts'
import { date } from '../format.ts'
import { permits } from '../me.ts'
import { t } from '../texts.ts'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action } from '../ui/dialog.tsx'
import { Field, textOf } from '../ui/form.tsx'
import { type Column, Table } from '../ui/list.tsx'
import { Badge, Page } from '../ui/page.tsx'
import { Secret, type ShownSecret } from '../ui/secret.tsx'
import { Empty, Shown } from '../ui/states.tsx'

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    label: t.webhooks.url,
    cell: ({ id, url, description }) => (
      <>
        <a href={`/console/webhooks/${id}`}>{url}</a>
        <br />
        <small class="quiet">{description}</small>
      </>
    ),
  },
  { label: t.webhooks.events, cell: ({ events }) => <small class="quiet">{events.join(', ')}</small> },
  { label: t.webhooks.since, cell: ({ created_at }) => date(created_at), isWhole: true },
  { label: t.ui.state, cell: ({ status }) => <Badge of="endpoint" state={status} /> },
]

/** All events of a kind, or single ones. */
const EVENTS = ['cases.*', 'assignments.*', ...WEBHOOK_EVENT_TYPES] as const

export function endpointContentOf(data: FormData) {
  // An empty description clears it.
  const events = chosenIn<WebhookSubscription>(data, 'events')
  return { url: textOf(data, 'url') ?? '', events, description: textOf(data, 'description') ?? '' }
}

export const EndpointFields = ({ endpoint }: { endpoint?: WebhookEndpoint }) => (
  <>
    <Field name="url" label={t.webhooks.url} hint={t.webhooks.urlHint} type="url" value={endpoint?.url} isFocused />
    <Field name="description" label={t.parts.description} value={endpoint?.description} isOptional />
    <Choices
      name="events"
      label={t.webhooks.events}
      options={EVENTS.map((each) => [each, each])}
      chosen={endpoint?.events ?? ['cases.*', 'assignments.*']}
    />
  </>
)

/** The endpoints of the organization, of which there are at most twenty. */
export function Webhooks() {
  const read = useRecord('/v2.3/webhooks/endpoints', {})
  const secret = useSignal<ShownSecret | undefined>(undefined)
  const create = async (data: FormData) => {
    const created = await command(() => market.POST('/v2.3/webhooks/endpoints', { body: endpointContentOf(data) }))
    const values = [[created.data.url, created.data.secret]] as const
    secret.value = { title: t.webhooks.secret, hint: t.webhooks.secretHint, values }
  }
  return (
    <Page
      title={t.nav.webhooks}
      actions={
        <Action label={t.webhooks.create} when={permits('POST /v2.3/webhooks/endpoints')} isPrimary onRun={create}>
          <EndpointFields />
        </Action>
      }
    >
      <section class="panel list">
        <Shown read={read}>
          {({ data: endpoints }) =>
            endpoints.length === 0 ? (
              <Empty>{t.webhooks.empty}</Empty>
            ) : (
              <Table caption={t.nav.webhooks} items={endpoints} columns={COLUMNS} idOf={({ id }) => id} />
            )
          }
        </Shown>
      </section>
      <Secret shown={secret} />
    </Page>
  )
}
