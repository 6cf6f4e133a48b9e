import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { PROCEDURES } from '../../../../../proto/procedures.ts'
import type { AuditLogEntry } from '../api.ts'
import { useList, useRecord } from '../data.ts'
import { saveFrom } from '../download.ts'
import { time } from '../format.ts'
import { t, wordsOf } from '../texts.ts'
import { Download } from '../ui/attempt.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { bind, DayFilter, Filter, ListTable, orAll, Search } from '../ui/list.tsx'
import { Code, Facts } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { OrganizationPage } from './organization.tsx'

const KINDS = {
  '': {},
  failed: { failedOnly: true },
  impersonated: { impersonatedOnly: true },
  withoutSignIns: { hideSignIns: true },
} as const
type Kind = keyof typeof KINDS

/** One entry with its request, which never contains a secret. */
function Entry({ id, onClose }: { id: string; onClose: () => void }) {
  const read = useRecord('/v1/audit-log/{id}', { path: { id } })
  return (
    <Dialog title={t.auditLog.entry} onClose={onClose}>
      <Shown read={read}>
        {(entry) => (
          <>
            <Facts
              of={[
                [t.auditLog.time, time(entry.timestamp)],
                [t.auditLog.procedure, <Code key="procedure" of={entry.procedure} />],
                [t.auditLog.person, entry.actor.email],
                [t.auditLog.result, entry.success ? t.auditLog.success : entry.error && <Code of={entry.error} />],
                [t.auditLog.address, entry.ipAddress],
                [t.auditLog.program, entry.userAgent],
                [t.auditLog.actedAs, entry.impersonation?.actingEmail],
                [t.ui.reason, entry.impersonation?.reason],
              ]}
            />
            {entry.request !== undefined && <pre class="json">{JSON.stringify(entry.request, null, 2)}</pre>}
          </>
        )}
      </Shown>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {t.ui.close}
        </button>
      </div>
    </Dialog>
  )
}

const PROCEDURE_OPTIONS = orAll(
  PROCEDURES.map((code) => [code, wordsOf(code)] as const).sort(([, one], [, other]) => one.localeCompare(other)),
)

/** Finds a person or program of the organization by name or address; only one that exists filters. */
function PersonFilter({ onChange }: { onChange: (id: string) => void }) {
  const id = useId()
  const text = useFilter('person', '')
  const found = useList(text.value ? '/v1/users' : undefined, { query: { q: text.value, pageSize: 10 } })
  const person = found.data?.find(({ email }) => email.toLowerCase() === text.value.toLowerCase())
  useEffect(() => onChange(person?.id ?? ''), [person?.id])
  return (
    <>
      <Search label={t.auditLog.person} list={`${id}-people`} {...bind(text)} />
      <datalist id={`${id}-people`}>
        {found.data?.map(({ id: each, email, givenName, familyName }) => (
          <option key={each} value={email}>
            {givenName} {familyName}
          </option>
        ))}
      </datalist>
      <span role="status" class="quiet">
        {found.data && !person && t.auditLog.noPerson}
      </span>
    </>
  )
}

/** A limit of the list; none for a text of the address that is no day. */
function timeOfDay(name: 'from' | 'to', day: string, hour: string) {
  const time = new Date(`${day}T${hour}`)
  return Number.isNaN(time.getTime()) ? {} : { [name]: time.toISOString() }
}

export function AuditLog() {
  const kind = useFilter<Kind>('kind', '', Object.keys(KINDS) as Kind[])
  const q = useFilter('q', '')
  const [procedure, from, to] = [useFilter('procedure', ''), useFilter('from', ''), useFilter('to', '')]
  const [opened, actorId] = [useSignal(''), useSignal('')]
  const query = {
    ...KINDS[kind.value],
    ...setIn({ q, procedure, actorId }),
    ...timeOfDay('from', from.value, '00:00:00'),
    ...timeOfDay('to', to.value, '23:59:59.999'),
  }
  const list = useList('/v1/audit-log', { query })
  const download = () => saveFrom('/flows/v1/audit-log/export', 'audit-log.ndjson', { query })
  const isActedFor = ({ impersonation }: AuditLogEntry) => impersonation?.actingEmail
  return (
    <OrganizationPage actions={<Download label={t.auditLog.export} onRun={download} />}>
      <div class="filters">
        <Filter
          label={t.auditLog.kind}
          {...bind(kind)}
          options={Object.keys(KINDS).map((each) => [each, t.auditLog.kinds[each as Kind]])}
        />
        <Search {...bind(q)} />
        <Filter label={t.auditLog.procedure} {...bind(procedure)} options={PROCEDURE_OPTIONS} />
        <PersonFilter {...bind(actorId)} />
        <DayFilter label={t.auditLog.from} {...bind(from)} />
        <DayFilter label={t.auditLog.to} {...bind(to)} />
      </div>
      <ListTable
        caption={t.organization.auditLog}
        list={list}
        columns={[
          {
            label: t.auditLog.procedure,
            cell: ({ id, procedure }) => (
              <span>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    opened.value = id
                  }}
                >
                  {wordsOf(procedure)}
                </button>{' '}
                <small class="quiet">{procedure}</small>
              </span>
            ),
          },
          {
            label: t.auditLog.person,
            cell: (entry) => (
              <span>
                {entry.actor.email}
                {isActedFor(entry) && (
                  <small class="quiet">
                    <br />
                    {t.auditLog.actedAs} {isActedFor(entry)}
                  </small>
                )}
              </span>
            ),
          },
          { label: t.auditLog.time, cell: ({ timestamp }) => time(timestamp) },
          {
            label: t.auditLog.result,
            cell: ({ success, error }) =>
              success ? (
                t.auditLog.success
              ) : (
                <span class="badge bad" title={error}>
                  {error ? wordsOf(error) : t.auditLog.failure}
                </span>
              ),
          },
        ]}
      />
      {opened.value && (
        <Entry
          id={opened.value}
          onClose={() => {
            opened.value = ''
          }}
        />
      )}
    </OrganizationPage>
  )
}
