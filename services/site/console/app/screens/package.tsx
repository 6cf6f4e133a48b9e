import { useLocation } from 'preact-iso/router'
import { market, patch, post, type Rfq, type RfqPackage, remove } from '../api.ts'
import { useRecord } from '../data.ts'
import { number } from '../format.ts'
import { orgId, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { counted, t } from '../texts.ts'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, localTime, textOf, timeOf } from '../ui/form.tsx'
import { type Column, Table } from '../ui/list.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { Shown } from '../ui/states.tsx'
import { PackageMatrix } from './package-matrix.tsx'
import { PackageOffers } from './package-offers.tsx'

type State = Rfq['state']
const PATH = '/flows/v1/rfq-packages/{id}'
const has = ({ lines }: RfqPackage, ...states: State[]) => lines.some(({ state }) => states.includes(state))
const isAll = ({ lines }: RfqPackage, ...states: State[]) => lines.every(({ state }) => states.includes(state))
const mayPost = (verb: string) => permits(`POST ${PATH}/${verb}`)

/** Changes the common terms that are filled in. */
function Amend({ pkg }: { pkg: RfqPackage }) {
  const amend = (data: FormData) => {
    const [requirements, requestedDeliveryDate] = ['requirements', 'requestedDeliveryDate'].map((name) =>
      textOf(data, name),
    )
    const expireTime = timeOf(data, 'expireTime')
    return post(`${PATH}/amend`, pkg.id, {
      ...(requirements && { requirements }),
      ...(requestedDeliveryDate && { requestedDeliveryDate }),
      ...(expireTime && { expireTime }),
      ...(data.has('partRevision') && { partRevision: 'CURRENT' as const }),
      reason: reasonOf(data),
    })
  }
  return (
    <Action
      label={t.verbs.amend}
      hint={t.packages.hints.amend}
      when={mayPost('amend') && has(pkg, 'OPEN')}
      onRun={amend}
      form={{ pathOf: (field) => field.replace(/^lines\.\d+\./, '') }}
    >
      <Field name="expireTime" label={t.rfqs.closes} hint={t.rfqs.amendExpiry} type="datetime-local" isOptional />
      <Field name="requestedDeliveryDate" label={t.rfqs.requestedDeliveryDate} type="date" isOptional />
      <Field name="requirements" label={t.rfqs.requirements} rows={4} isOptional />
      <Field name="partRevision" label={t.rfqs.pinCurrent} hint={t.rfqs.pinCurrentHint} type="checkbox" />
      <Reason isLater />
    </Action>
  )
}

/** The steps of the consumer, each for every line. */
function Actions({ pkg }: { pkg: RfqPackage }) {
  const { route } = useLocation()
  const { id } = pkg
  const isDraft = isAll(pkg, 'DRAFT')
  const read = () => market.GET(PATH, { params: { path: { id } } })
  return (
    <>
      <Action
        label={t.packages.delete}
        hint={t.packages.hints.delete}
        when={isDraft && permits(`DELETE ${PATH}`)}
        isDangerous
        onRun={async () => {
          await remove(PATH, { id })
          route('/console/packages')
        }}
      />
      <Action
        label={t.packages.cancel}
        hint={t.packages.hints.cancel}
        when={!isDraft && has(pkg, 'DRAFT', 'OPEN', 'CLOSED') && mayPost('cancel')}
        isDangerous
        onRun={(data) => post(`${PATH}/cancel`, id, { reason: reasonOf(data) })}
      >
        <Reason />
      </Action>
      <Action
        label={t.verbs.patch}
        when={isDraft && permits(`PATCH ${PATH}`)}
        onRun={(data) => patchTitle(id, textOf(data, 'title') ?? '')}
      >
        <Field name="title" label={t.packages.name} hint={t.packages.nameHint} value={pkg.title} isFocused />
      </Action>
      <Amend pkg={pkg} />
      <Action
        label={t.verbs.extend}
        when={has(pkg, 'OPEN') && mayPost('extend')}
        onRun={(data) => post(`${PATH}/extend`, id, { expireTime: timeOf(data, 'expireTime') ?? '' })}
        form={{ pathOf: (field) => field.replace(/^lines\.\d+\./, '') }}
      >
        <Field
          name="expireTime"
          label={t.rfqs.closes}
          type="datetime-local"
          value={localTime(pkg.lines.find(({ state }) => state === 'OPEN')?.expireTime ?? pkg.createdTime)}
          isFocused
        />
      </Action>
      <Action
        label={t.verbs.close}
        hint={t.packages.hints.close}
        when={has(pkg, 'OPEN') && mayPost('close')}
        onRun={() => post(`${PATH}/close`, id)}
      />
      <Edit
        label={t.verbs.publish}
        hint={t.packages.hints.publish}
        when={has(pkg, 'DRAFT') && mayPost('publish')}
        isPrimary
        read={read}
        onRun={(_, unchanged) => post(`${PATH}/publish`, id, undefined, unchanged)}
      />
    </>
  )
}

const patchTitle = (id: string, title: string) => patch(PATH, id, { title })

const MAKERS: Column<RfqPackage['lines'][number]> = {
  label: t.packages.makers,
  cell: ({ manufacturerIds }) => number(manufacturerIds.length),
  isNumber: true,
}

const Lines = ({ pkg, isConsumer }: { pkg: RfqPackage; isConsumer: boolean }) => (
  <Section title={t.packages.lines}>
    <Table
      caption={t.packages.lines}
      items={pkg.lines}
      idOf={({ rfqId }) => rfqId}
      columns={[
        {
          label: t.rfqs.part,
          cell: ({ rfqId, partTitle, serialNumber }) => (
            <>
              <a href={`/console/rfqs/${rfqId}`}>{partTitle ?? serialNumber}</a>{' '}
              <small class="quiet">{serialNumber}</small>
            </>
          ),
        },
        {
          label: t.rfqs.quantities,
          cell: ({ quantities }) => quantities.map(number).join(' · ') || '–',
          isNumber: true,
        },
        ...(isConsumer ? [MAKERS] : []),
        { label: t.ui.state, cell: ({ state }) => <Badge of="rfq" state={state} /> },
      ]}
    />
  </Section>
)

/** A package as its consumer sees it, with the comparison of its lines, or as a manufacturer, with its offers. */
export function PackageScreen({ id = '' }: { id?: string }) {
  const read = useRecord(PATH, { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(pkg) => {
        const isConsumer = pkg.consumerOrgId === orgId.value
        return (
          <Page
            title={pkg.title}
            over={
              <>
                <a href="/console/packages">{t.packages.title}</a> · <OrgName id={pkg.consumerOrgId} /> ·{' '}
                {counted(t.packages.lineCount, pkg.lines.length, number(pkg.lines.length))}
              </>
            }
            actions={isConsumer && <Actions pkg={pkg} />}
          >
            {isConsumer && !isAll(pkg, 'DRAFT') && <PackageMatrix pkg={pkg} />}
            {!isConsumer && <PackageOffers key={pkg.id} pkg={pkg} />}
            <Lines pkg={pkg} isConsumer={isConsumer} />
          </Page>
        )
      }}
    </Shown>
  )
}
