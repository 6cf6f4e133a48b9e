import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import { type FactoryMatch, post, type Rfq, type RfqInvitation } from '../api.ts'
import { useList } from '../data.ts'
import { region, time } from '../format.ts'
import { mayUse } from '../me.ts'
import { OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { setIn } from '../ui/filters.ts'
import { bind, ListTable, Search, Table } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { isUnsuitable, missedOf, Requirements } from './factory-match.tsx'
import { useMissingInvitation } from './rfq-email-invitations.tsx'

/** All invitations of an RFQ, which are at most two pages. */
function useInvitations(rfq: Rfq) {
  const list = useList(
    '/flows/v1/rfqs/{id}/invitations',
    { path: { id: rfq.id }, query: { pageSize: 50 } },
    (one) => one.manufacturerOrgId,
  )
  useEffect(() => {
    if (list.hasMore) list.showMore()
  }, [list.hasMore, list.data?.length])
  return list
}

const invite = (rfq: Rfq, id: string) => () => post('/flows/v1/rfqs/{id}/invite', rfq.id, { manufacturerIds: [id] })

/** Invites a manufacturer that has declined. */
const InviteAgain = ({ rfq, orgId, orgName }: { rfq: Rfq; orgId: string; orgName?: string }) => (
  <Action
    label={t.rfqs.inviteAgain}
    hint={orgName ?? <OrgName id={orgId} />}
    when={mayUse(RFQ, 'invite', rfq)}
    onRun={invite(rfq, orgId)}
  />
)

export function Invitations({ rfq }: { rfq: Rfq }) {
  const list = useInvitations(rfq)
  const missing = useMissingInvitation(rfq)
  const columns = [
    {
      label: t.rfqs.manufacturer,
      cell: ({ manufacturerOrgId: id }: { manufacturerOrgId: string }) => <OrgName id={id} />,
    },
  ]
  if (rfq.state === 'DRAFT') {
    const invited = rfq.manufacturerIds.map((manufacturerOrgId) => ({ manufacturerOrgId }))
    return (
      <Section title={t.rfqs.invitations}>
        {invited.length === 0 ? (
          <Empty>{missing}</Empty>
        ) : (
          <Table caption={t.rfqs.invitations} items={invited} columns={columns} idOf={(one) => one.manufacturerOrgId} />
        )}
      </Section>
    )
  }
  return (
    <Section title={t.rfqs.invitations}>
      <ListTable
        caption={t.rfqs.invitations}
        list={list}
        idOf={(one) => one.manufacturerOrgId}
        columns={[
          ...columns,
          { label: t.ui.reason, cell: ({ reason }) => reason ?? '' },
          {
            label: t.ui.since,
            cell: (one) => time(one.offeredTime ?? one.declinedTime ?? one.readTime ?? one.invitedTime),
          },
          {
            label: t.ui.state,
            cell: ({ state, manufacturerOrgId: id }) => (
              <>
                <Badge of="invitation" state={state} /> {state === 'DECLINED' && <InviteAgain rfq={rfq} orgId={id} />}
              </>
            ),
          },
        ]}
      />
    </Section>
  )
}

interface InvitationProps {
  rfq: Rfq
  factory: FactoryMatch['factory']
  invitation: RfqInvitation | undefined
}

/** The invitation of the organization of a factory, or the button that invites it. */
function Invitation({ rfq, factory: { orgId, orgName }, invitation }: InvitationProps) {
  if (!rfq.manufacturerIds.includes(orgId)) {
    return <Action label={t.verbs.invite} hint={orgName} when={mayUse(RFQ, 'invite', rfq)} onRun={invite(rfq, orgId)} />
  }
  if (invitation?.state !== 'DECLINED') return <>{t.states.invitation[invitation?.state ?? 'INVITED']}</>
  const { reason } = invitation
  return (
    <>
      <p>{reason ? fill(t.rfqs.declinedBecause, { reason }) : t.states.invitation.DECLINED}</p>
      <InviteAgain rfq={rfq} orgId={orgId} orgName={orgName} />
    </>
  )
}

/** Factories that qualify, or those that are found by name, each with what it meets and misses, and its invitation. */
export function Matches({ rfq }: { rfq: Rfq }) {
  const q = useSignal('')
  const list = useList(
    '/flows/v1/rfqs/{id}/matches',
    { path: { id: rfq.id }, query: setIn({ q }) },
    ({ factory }) => factory.id,
  )
  const { data: invitations = [] } = useInvitations(rfq)
  const data = list.data?.toSorted(
    (one, other) => Number(isUnsuitable(one)) - Number(isUnsuitable(other)) || missedOf(one) - missedOf(other),
  )
  return (
    <Section title={t.rfqs.matches}>
      <div class="filters">
        <Search label={t.rfqs.findMaker} {...bind(q)} />
      </div>
      <p class="quiet">{q.value === '' ? t.rfqs.qualifiedHint : t.rfqs.findMakerHint}</p>
      <ListTable
        caption={t.rfqs.matches}
        list={{ ...list, data }}
        idOf={({ factory }) => factory.id}
        empty={q.value === '' ? t.rfqs.noMatches : t.rfqs.noMaker}
        columns={[
          {
            label: t.rfqs.factory,
            cell: ({ factory }) => (
              <>
                <strong>{factory.name}</strong>
                <br />
                <small class="quiet">
                  {factory.orgName}, {region(factory.address.regionCode)}
                </small>
              </>
            ),
          },
          { label: t.rfqs.requirements, cell: (match) => <Requirements match={match} /> },
          {
            label: t.rfqs.invitation,
            isWhole: true,
            cell: ({ factory }) => (
              <Invitation
                rfq={rfq}
                factory={factory}
                invitation={invitations.find((one) => one.manufacturerOrgId === factory.orgId)}
              />
            ),
          },
        ]}
      />
    </Section>
  )
}
