import { useSignal } from '@preact/signals'
import {
  SALES_AGREEMENT,
  SALES_AGREEMENT_STATES,
  type SalesAgreementState,
} from '../../../../../proto/states/sales-agreements.ts'
import { command, market, post, type SalesAgreement } from '../api.ts'
import { useList } from '../data.ts'
import { date, percent } from '../format.ts'
import { can, orgId, permits } from '../me.ts'
import { OrgName, orgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { amountOf, Field } from '../ui/form.tsx'
import { type Column, ListTable, StateFilter } from '../ui/list.tsx'
import { OrgField, orgIn } from '../ui/org-field.tsx'
import { Badge, Facts, Page } from '../ui/page.tsx'

type Role = 'manufacturer' | 'seller'
type Parties = Pick<SalesAgreement, 'manufacturerOrgId' | 'sellerOrgId'>

/** Each side has a permission of its own. */
const MAY: Readonly<Record<Role, () => boolean>> = {
  manufacturer: () => can('app:manufacturer') && can('order:confirm'),
  seller: () => can('app:seller'),
}
const ROLES = ['manufacturer', 'seller'] as const
const ownRoles = () => ROLES.filter((role) => MAY[role]())

const roleIn = ({ manufacturerOrgId }: Parties): Role => (manufacturerOrgId === orgId.value ? 'manufacturer' : 'seller')

const partnerOf = (agreement: SalesAgreement) =>
  roleIn(agreement) === 'manufacturer' ? agreement.sellerOrgId : agreement.manufacturerOrgId

/** The permission of a side, also after its organization has lost the role. */
const mayAct = (agreement: SalesAgreement) =>
  permits('POST /flows/v1/sales-agreements/{id}/end') &&
  (roleIn(agreement) === 'manufacturer' ? can('order:confirm') : can('app:seller'))

/** Proposes an agreement. The names are shown before it is sent, because ids can be mistaken. */
function Propose() {
  const roles = ownRoles()
  const role = useSignal<string>('')
  const isMaker = role.value === 'manufacturer'
  const [own, other] = isMaker ? ['manufacturerOrgId', 'sellerOrgId'] : ['sellerOrgId', 'manufacturerOrgId']
  const bodyOf = (data: FormData) => ({
    [own as string]: orgId.value,
    [other as string]: orgIn(data, other as string) ?? '',
    feePercent: amountOf(data, 'feePercent') ?? '',
  })
  const review = async (data: FormData) => {
    const body = bodyOf(data)
    const fee = body.feePercent ?? ''
    return (
      <Facts
        of={[
          [t.orgRoles.MANUFACTURER, <OrgName key="maker" id={body.manufacturerOrgId ?? ''} />],
          [t.orgRoles.SELLER, <OrgName key="seller" id={body.sellerOrgId ?? ''} />],
          [t.agreements.feeShort, /^\d+(\.\d+)?$/.test(fee) ? percent(fee) : fee],
        ]}
      />
    )
  }
  return (
    <Action
      label={t.agreements.propose}
      hint={t.agreements.proposeHint}
      when={roles.length > 0 && permits('POST /flows/v1/sales-agreements')}
      isPrimary
      onOpen={async () => {
        role.value = roles[0] ?? ''
      }}
      onRun={(data) => command(() => market.POST('/flows/v1/sales-agreements', { body: bodyOf(data) as never }))}
      form={{ review }}
    >
      {roles.length > 1 && (
        <Field
          name="role"
          label={t.agreements.role}
          text={role}
          options={roles.map((each) => [each, t.agreements.roles[each]])}
        />
      )}
      {isMaker ? (
        <OrgField
          key="seller"
          name="sellerOrgId"
          label={t.orgRoles.SELLER}
          idLabel={t.agreements.sellerId}
          place="sellerOrgId"
          isFocused
        />
      ) : (
        <OrgField
          key="maker"
          name="manufacturerOrgId"
          label={t.orgRoles.MANUFACTURER}
          idLabel={t.agreements.manufacturerId}
          place="manufacturerOrgId"
          isFocused
        />
      )}
      <Field name="feePercent" label={t.agreements.fee} hint={t.agreements.feeHint} type="number" />
    </Action>
  )
}

function Steps({ agreement }: { agreement: SalesAgreement }) {
  const { id, state, manufacturerOrgId, sellerOrgId, feePercent, proposedByOrgId } = agreement
  const isOwnProposal = state === 'PROPOSED' && proposedByOrgId === orgId.value
  const isOffered = state === 'PROPOSED' && !isOwnProposal
  const names = { maker: orgName(manufacturerOrgId), seller: orgName(sellerOrgId), fee: percent(feePercent) }
  return (
    <div class="actions">
      <Action
        label={t.verbs.accept}
        of={orgName(partnerOf(agreement))}
        hint={fill(t.agreements.acceptHint[roleIn(agreement)], names)}
        when={SALES_AGREEMENT.isLegal('accept', state) && proposedByOrgId !== orgId.value && mayAct(agreement)}
        isPrimary
        onRun={() => post('/flows/v1/sales-agreements/{id}/accept', id)}
      />
      <Action
        label={isOwnProposal ? t.verbs.withdraw : isOffered ? t.verbs.decline : t.verbs.end}
        of={orgName(partnerOf(agreement))}
        hint={state === 'PROPOSED' ? t.agreements.withdrawHint : t.agreements.endHint}
        when={SALES_AGREEMENT.isLegal('end', state) && mayAct(agreement)}
        isDangerous
        onRun={() => post('/flows/v1/sales-agreements/{id}/end', id)}
      />
    </div>
  )
}

const COLUMNS: readonly Column<SalesAgreement>[] = [
  { label: t.agreements.partner, cell: (agreement) => <OrgName id={partnerOf(agreement)} /> },
  { label: t.agreements.role, cell: (agreement) => t.agreements.roles[roleIn(agreement)] },
  { label: t.agreements.feeShort, cell: ({ feePercent }) => percent(feePercent), isNumber: true },
  { label: t.agreements.proposedBy, cell: ({ proposedByOrgId }) => <OrgName id={proposedByOrgId} /> },
  { label: t.agreements.since, cell: ({ updatedTime }) => date(updatedTime), isWhole: true },
  { label: t.ui.state, cell: ({ state }) => <Badge of="agreement" state={state} />, isWhole: true },
  { label: t.ui.actions, cell: (agreement) => <Steps agreement={agreement} /> },
]

/** The agreements of manufacturers and sellers, which either proposes and both may end. */
export function Agreements() {
  const state = useFilter<SalesAgreementState | ''>('state', '', SALES_AGREEMENT_STATES)
  const list = useList('/flows/v1/sales-agreements', { query: setIn({ state }) })
  return (
    <Page title={t.agreements.title} actions={<Propose />}>
      <section class="panel list">
        <p class="quiet">{t.agreements.about}</p>
        <div class="filters">
          <StateFilter of="agreement" states={SALES_AGREEMENT_STATES} state={state} />
        </div>
        <ListTable caption={t.agreements.title} list={list} columns={COLUMNS} empty={t.agreements.empty} />
      </section>
    </Page>
  )
}
