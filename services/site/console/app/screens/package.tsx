import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { at, market, patch, post, type Rfq, type RfqPackage, remove } from '../api.ts'
import { useOnce, useRecord } from '../data.ts'
import { number } from '../format.ts'
import { orgId, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { counted, t } from '../texts.ts'
import { Action, Reason, reasonOf } from '../ui/dialog.tsx'
import { Edit } from '../ui/edit.tsx'
import { Field, localTime, textOf, textsOf, timeOf } from '../ui/form.tsx'
import { type Column, Table } from '../ui/list.tsx'
import { Badge, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Shown } from '../ui/states.tsx'
import { UnfitLines, useUnfit } from './package-fit.tsx'
import { PackageMatrix } from './package-matrix.tsx'
import { PackageOffers } from './package-offers.tsx'
import { readOffers } from './package-standing.tsx'
import { PackageTerms } from './package-terms.tsx'
import { nextOfLines } from './packages.tsx'

type State = Rfq['state']
const PATH = '/flows/v1/rfq-packages/{id}'
const has = ({ lines }: RfqPackage, ...states: State[]) => lines.some(({ state }) => states.includes(state))
const isAll = ({ lines }: RfqPackage, ...states: State[]) => lines.every(({ state }) => states.includes(state))
const mayPost = (verb: string) => permits(`POST ${PATH}/${verb}`)

/** Changes the common terms that are filled in. */
function Amend({ pkg, told }: { pkg: RfqPackage; told: Signal<string> }) {
  const amend = async (data: FormData) => {
    const expireTime = timeOf(data, 'expireTime')
    await post(`${PATH}/amend`, pkg.id, {
      ...textsOf(data, 'requirements', 'requestedDeliveryDate'),
      ...(expireTime && { expireTime }),
      ...(data.has('partRevision') && { partRevision: 'CURRENT' as const }),
      reason: reasonOf(data),
    })
    told.value = t.packages.amended
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
function Actions({ pkg, told, unfit }: { pkg: RfqPackage; told: Signal<string>; unfit: number }) {
  const { route } = useLocation()
  const { id } = pkg
  const isDraft = isAll(pkg, 'DRAFT')
  const read = () => market.GET(PATH, at(id))
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
        of={pkg.title}
        submit={t.ui.save}
        when={isDraft && permits(`PATCH ${PATH}`)}
        onRun={(data) => patchTitle(id, textOf(data, 'title') ?? '')}
      >
        <Field name="title" label={t.packages.name} hint={t.packages.nameHint} value={pkg.title} isFocused />
      </Action>
      <Amend pkg={pkg} told={told} />
      <Action
        label={t.verbs.extend}
        when={has(pkg, 'OPEN') && mayPost('extend')}
        onRun={async (data) => {
          await post(`${PATH}/extend`, id, { expireTime: timeOf(data, 'expireTime') ?? '' })
          told.value = t.packages.extended
        }}
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
        hint={[t.packages.hints.publish, unfit > 0 && counted(t.packages.unfitPublish, unfit, number(unfit))]
          .filter(Boolean)
          .join(' ')}
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

const NEXT: Column<RfqPackage['lines'][number]> = {
  label: t.ui.nextStep,
  cell: ({ state }) => {
    const next = nextOfLines({ [state]: 1 })
    return next && <span class={next.isOwn ? 'next own' : 'next'}>{next.text}</span>
  },
  isClear: true,
}

/** The RFQs of own accepted offers, once they are read. */
function useWon(pkg: RfqPackage, isConsumer: boolean): ReadonlySet<string> | undefined {
  const awarded = pkg.lines.filter(({ state }) => state === 'AWARDED').map(({ rfqId }) => rfqId)
  const { data } = useOnce((!isConsumer && awarded.join()) || undefined, () => readOffers(pkg.id))
  return data && new Set(data.filter(({ state }) => state === 'ACCEPTED').map(({ rfqId }) => rfqId))
}

/** The state of a line. A manufacturer sees whether an awarded one is its own. */
const State = ({ line, won }: { line: RfqPackage['lines'][number]; won: ReadonlySet<string> | undefined }) => {
  if (line.state !== 'AWARDED' || !won) return <Badge of="rfq" state={line.state} />
  return won.has(line.rfqId) ? (
    <span class="badge good">{t.packages.yours}</span>
  ) : (
    <span class="badge">{t.packages.notYours}</span>
  )
}

const Lines = ({ pkg, isConsumer }: { pkg: RfqPackage; isConsumer: boolean }) => {
  const won = useWon(pkg, isConsumer)
  return (
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
            sortBy: ({ partTitle, serialNumber }) => partTitle ?? serialNumber,
          },
          {
            label: t.rfqs.quantities,
            cell: ({ quantities }) => quantities.map(number).join(' · ') || '–',
            isNumber: true,
            sortBy: ({ quantities }) => Math.max(0, ...quantities),
          },
          ...(isConsumer ? [MAKERS] : []),
          {
            label: t.ui.state,
            cell: (line) => <State line={line} won={won} />,
            sortBy: ({ state }) => t.states.rfq[state],
          },
          ...(isConsumer && has(pkg, 'DRAFT', 'OPEN', 'CLOSED') ? [NEXT] : []),
        ]}
      />
    </Section>
  )
}

/** A package as its consumer sees it, with the comparison of its lines. */
function OwnPackage({ pkg }: { pkg: RfqPackage }) {
  const told = useSignal('')
  const unfit = useUnfit(pkg)
  return (
    <PackagePage pkg={pkg} actions={<Actions pkg={pkg} told={told} unfit={unfit?.length ?? 0} />}>
      <p role="status" class="told">
        {told.value}
      </p>
      <PackageTerms {...pkg} />
      <UnfitLines unfit={unfit} />
      {!isAll(pkg, 'DRAFT') && <PackageMatrix pkg={pkg} />}
      <Lines pkg={pkg} isConsumer />
    </PackagePage>
  )
}

/** A package as a manufacturer sees it, with its offers. */
const AskedPackage = ({ pkg }: { pkg: RfqPackage }) => (
  <PackagePage pkg={pkg}>
    <PackageTerms {...pkg} />
    <PackageOffers key={pkg.id} pkg={pkg} />
    <Lines pkg={pkg} isConsumer={false} />
  </PackagePage>
)

interface PackagePageProps {
  pkg: RfqPackage
  actions?: ComponentChildren
  children: ComponentChildren
}

const PackagePage = ({ pkg, actions, children }: PackagePageProps) => (
  <Page
    title={pkg.title}
    over={
      <>
        <a href="/console/packages">{t.packages.title}</a> · <OrgName id={pkg.consumerOrgId} /> ·{' '}
        {counted(t.packages.lineCount, pkg.lines.length, number(pkg.lines.length))}
      </>
    }
    picture={<Picture kind="package" url={pictureOf(pkg)} alt="" size="large" />}
    actions={actions}
  >
    {children}
  </Page>
)

export function PackageScreen({ id = '' }: { id?: string }) {
  const read = useRecord(PATH, { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(pkg) => (pkg.consumerOrgId === orgId.value ? <OwnPackage pkg={pkg} /> : <AskedPackage pkg={pkg} />)}
    </Shown>
  )
}
