import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso/router'
import { WEBHOOK_EVENT_TYPES } from '../../../../../proto/webhook-events.ts'
import {
  at,
  command,
  market,
  post,
  remove,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEventType,
} from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { daysAfter, number, time } from '../format.ts'
import { permits } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Action, Dialog } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { Changed, Field, localTime, textOf, timeOf } from '../ui/form.tsx'
import { type Column, ListTable, StateFilter } from '../ui/list.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Secret, type ShownSecret } from '../ui/secret.tsx'
import { Shown } from '../ui/states.tsx'
import { EndpointFields, endpointContentOf } from './webhooks.tsx'

type State = WebhookDelivery['state']
const STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const satisfies State[]

const contentOf = ({ url, description, events }: WebhookEndpoint) => JSON.stringify([url, description, events])

function Steps({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { route } = useLocation()
  const secret = useSignal<ShownSecret | undefined>(undefined)
  const { id, status } = endpoint
  const endpointAt = { params: { path: { webhookId: id } } }
  const may = (verb: string) => permits(`POST /flows/v1/webhooks/endpoints/{id}/${verb}`)
  const mayChange = permits('PATCH /v2.3/webhooks/endpoints/{webhookId}')
  const change = (body: Partial<Pick<WebhookEndpoint, 'url' | 'events' | 'description' | 'status'>>) =>
    command(() => market.PATCH('/v2.3/webhooks/endpoints/{webhookId}', { ...endpointAt, body }))
  const read = async () => (await market.GET('/v2.3/webhooks/endpoints/{webhookId}', endpointAt)).data.data
  const edited = useSignal<WebhookEndpoint | undefined>(undefined)
  const edit = async () => {
    edited.value = await read()
  }
  /** Endpoints have neither ETag nor If-Match, so the console compares before it sends. */
  const patch = async (data: FormData) => {
    if (!edited.value || contentOf(await read()) !== contentOf(edited.value)) throw new Changed()
    await change(endpointContentOf(data))
  }
  const rotate = async () => {
    const rotated = await post('/flows/v1/webhooks/endpoints/{id}/rotate-secret', id)
    const hint = fill(t.webhooks.rotated, { until: time(rotated.previousSecretExpireTime) })
    secret.value = { title: t.webhooks.secret, hint, values: [[endpoint.url, rotated.secret]] }
  }
  const replay = (data: FormData) => {
    const body = { from: timeOf(data, 'from') ?? '', to: timeOf(data, 'to') ?? '' }
    return post('/flows/v1/webhooks/endpoints/{id}/replay', id, body)
  }
  const test = (data: FormData) => {
    const body = { type: textOf(data, 'type') as WebhookEventType }
    return post('/flows/v1/webhooks/endpoints/{id}/test', id, body)
  }
  const now = Date.now()
  return (
    <>
      <Action
        label={t.ui.remove}
        hint={t.webhooks.removeHint}
        when={permits('DELETE /v2.3/webhooks/endpoints/{webhookId}')}
        isDangerous
        onRun={async () => {
          await remove('/v2.3/webhooks/endpoints/{webhookId}', endpointAt.params.path)
          route('/console/webhooks')
        }}
      />
      <Action label={t.webhooks.rotate} hint={t.webhooks.rotateHint} when={may('rotate-secret')} onRun={rotate} />
      <Action
        label={t.verbs.patch}
        of={new URL(endpoint.url).host}
        submit={t.ui.save}
        when={mayChange}
        onOpen={edit}
        onRun={patch}
      >
        {edited.value && <EndpointFields endpoint={edited.value} />}
      </Action>
      <Action
        label={t.webhooks.pause}
        hint={t.webhooks.pauseHint}
        when={mayChange && status === 'active'}
        onRun={() => change({ status: 'paused' })}
      />
      <Action label={t.webhooks.replay} hint={t.webhooks.replayHint} when={may('replay')} onRun={replay}>
        <div class="columns">
          <Field
            name="from"
            label={t.webhooks.from}
            type="datetime-local"
            value={localTime(daysAfter(now, -1))}
            isFocused
          />
          <Field name="to" label={t.webhooks.to} type="datetime-local" value={localTime(new Date(now).toISOString())} />
        </div>
      </Action>
      <Action label={t.webhooks.test} hint={t.webhooks.testHint} when={may('test')} onRun={test}>
        <Field name="type" label={t.webhooks.event} options={WEBHOOK_EVENT_TYPES.map((each) => [each, each])} />
      </Action>
      <Action
        label={t.verbs.resume}
        hint={t.webhooks.resumeHint}
        when={mayChange && status === 'paused'}
        isPrimary
        onRun={() => change({ status: 'active' })}
      />
      <Secret shown={secret} />
    </>
  )
}

/** How deliveries to the endpoint went lately. */
function Health({ id }: { id: string }) {
  const read = useRecord('/flows/v1/webhooks/endpoints/{id}', { path: { id } })
  return (
    <Section title={t.webhooks.health}>
      <Shown read={read}>
        {(health) => (
          <Facts
            of={[
              [t.ui.state, <Badge key="state" of="endpoint" state={health.status} />],
              [t.ui.reason, health.pauseReason],
              [t.webhooks.failures, number(health.failures)],
              [t.webhooks.failingSince, health.failingSinceTime && time(health.failingSinceTime)],
              [t.webhooks.lastSuccess, health.lastSuccessTime && time(health.lastSuccessTime)],
              [t.webhooks.previousSecret, health.previousSecretExpireTime && time(health.previousSecretExpireTime)],
              [
                t.webhooks.replay,
                health.replay && fill(t.webhooks.replayed, { count: number(health.replay.deliveries) }),
              ],
            ]}
          />
        )}
      </Shown>
    </Section>
  )
}

/** The attempts of a delivery, with the answers of the receiver. */
function Attempts({ delivery: { id, type, state }, onClose }: { delivery: WebhookDelivery; onClose: () => void }) {
  const attempts = useList('/flows/v1/webhooks/deliveries/{id}/attempts', at(id).params, (each) => String(each.number))
  return (
    <Dialog title={type} onClose={onClose}>
      <ListTable
        caption={t.webhooks.attempts}
        list={attempts}
        idOf={(each) => String(each.number)}
        empty={t.webhooks.noAttempts}
        columns={[
          { label: t.webhooks.attempt, cell: (each) => number(each.number), isNumber: true },
          { label: t.auditLog.time, cell: ({ startedTime }) => time(startedTime) },
          { label: t.webhooks.duration, cell: ({ durationMs }) => `${number(durationMs)} ms`, isNumber: true },
          { label: t.auditLog.result, cell: ({ status, error }) => [status, error].filter(Boolean).join(' ') },
        ]}
      />
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.ui.close}
        </button>
        <Action
          label={t.webhooks.retry}
          when={state === 'FAILED' && permits('POST /flows/v1/webhooks/deliveries/{id}/retry')}
          onRun={() => post('/flows/v1/webhooks/deliveries/{id}/retry', id)}
        />
      </div>
    </Dialog>
  )
}

function Deliveries({ endpointId }: { endpointId: string }) {
  const state = useFilter<State | ''>('state', '', STATES)
  const opened = useSignal<WebhookDelivery | undefined>(undefined)
  const list = useList('/flows/v1/webhooks/deliveries', { query: { endpointId, ...setIn({ state }) } })
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      label: t.webhooks.event,
      cell: (delivery) => (
        <button
          type="button"
          class="link"
          onClick={() => {
            opened.value = delivery
          }}
        >
          {delivery.type}
        </button>
      ),
    },
    { label: t.webhooks.created, cell: ({ createdTime }) => time(createdTime) },
    { label: t.webhooks.attempts, cell: ({ attempts }) => number(attempts), isNumber: true },
    { label: t.webhooks.next, cell: ({ nextAttemptTime }) => nextAttemptTime && time(nextAttemptTime) },
    { label: t.ui.state, cell: (delivery) => <Badge of="delivery" state={delivery.state} /> },
  ]
  return (
    <Section title={t.webhooks.deliveries}>
      <div class="filters">
        <StateFilter of="delivery" states={STATES} state={state} />
      </div>
      <ListTable caption={t.webhooks.deliveries} list={list} columns={columns} empty={t.webhooks.noDeliveries} />
      {opened.value && (
        <Attempts
          delivery={opened.value}
          onClose={() => {
            opened.value = undefined
          }}
        />
      )}
    </Section>
  )
}

export function WebhookScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/v2.3/webhooks/endpoints/{webhookId}', { path: { webhookId: id } })
  return (
    <Shown read={read}>
      {({ data: endpoint }) => (
        <Page
          title={new URL(endpoint.url).host}
          over={<a href="/console/webhooks">{t.nav.webhooks}</a>}
          badge={<Badge of="endpoint" state={endpoint.status} />}
          actions={<Steps endpoint={endpoint} />}
        >
          <div class="beside">
            <Deliveries endpointId={id} />
            <div class="stack">
              <Health id={id} />
              <Section title={t.webhooks.endpoint}>
                <Facts
                  of={[
                    [t.webhooks.url, endpoint.url],
                    [t.parts.description, endpoint.description],
                    [t.webhooks.events, endpoint.events.join(', ')],
                  ]}
                />
              </Section>
            </div>
          </div>
        </Page>
      )}
    </Shown>
  )
}
