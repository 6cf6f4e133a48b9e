import { useSignal } from '@preact/signals'
import { useList } from '../data.ts'
import { can, orgId } from '../me.ts'
import { orgName } from '../names.tsx'
import { t } from '../texts.ts'
import { Field, FieldProblem, textOf } from './form.tsx'

/** The place of an organization in a record. */
type Place = 'consumerOrgId' | 'ipOwnerOrgId' | 'manufacturerOrgId' | 'sellerOrgId'
type Named = Readonly<Partial<Record<Place, string | undefined>>>

const OTHER = 'other'
const PAGE = { pageSize: 50 } as const

/**
 * The other organizations at a place of the newest orders, RFQs, offers, subscriptions and agreements of the
 * organization.
 */
function useKnownOrgs(place: Place): { known: string[]; isRead: boolean } {
  const orders = useList('/flows/v1/orders', { query: PAGE })
  const requests = useList(can('app:consumer') ? '/v1/rfqs' : undefined, { query: { ...PAGE, view: 'CONSUMER' } })
  const requested = useList(can('app:ip-owner') ? '/v1/rfqs' : undefined, { query: { ...PAGE, view: 'IP_OWNER' } })
  const invited = useList(can('app:manufacturer') ? '/v1/rfqs' : undefined, {
    query: { ...PAGE, view: 'MANUFACTURER' },
  })
  const offers = useList(can('app:consumer') ? '/v1/offers' : undefined, { query: { ...PAGE, view: 'CONSUMER' } })
  const subscribed = useList('/flows/v1/subscriptions', { query: { ...PAGE, view: 'CONSUMER' } })
  const granted = useList('/flows/v1/subscriptions', { query: { ...PAGE, view: 'IP_OWNER' } })
  const agreements = useList(can('app:manufacturer', 'app:seller') ? '/flows/v1/sales-agreements' : undefined, {
    query: PAGE,
  })
  const lists = [orders, requests, requested, invited, offers, subscribed, granted, agreements]
  const records = lists.flatMap(({ data = [] }): readonly Named[] => data)
  const isRead = lists.every(({ key, data, error }) => key === '' || data || error)
  const known = [...new Set(records.flatMap((record) => record[place] ?? []))].filter((id) => id !== orgId.value)
  return { known, isRead }
}

interface OrgFieldProps {
  /** The field path of the API. */
  name: string
  label: string
  /** The label of the field for an id. */
  idLabel: string
  place: Place
  /** The choice of no organization. */
  none?: string
  isFocused?: boolean
}

/** An organization of the own records by name, or another one by its id. */
export function OrgField({ name, label, idLabel, place, none, isFocused = false }: OrgFieldProps) {
  const chosen = useSignal('')
  const { known, isRead } = useKnownOrgs(place)
  // Until the records are read it stays a choice, so that nothing that was typed is lost.
  if (isRead && known.length === 0 && none === undefined) {
    return <Field name={name} label={idLabel} hint={t.ui.orgIdHint} isFocused={isFocused} />
  }
  const isOther = chosen.value === OTHER
  const options = [
    ['', none ?? t.ui.chooseOrg] as const,
    ...known.map((id) => [id, orgName(id)] as const),
    [OTHER, t.ui.otherOrg] as const,
  ]
  return (
    <>
      <Field
        name={isOther ? `choice.${name}` : name}
        label={label}
        text={chosen}
        options={options}
        isFocused={isFocused}
      />
      {isOther && <Field name={name} label={idLabel} hint={t.ui.orgIdHint} />}
    </>
  )
}

/** The chosen organization; undefined where none was chosen. */
export function orgIn(data: FormData, name: string): string | undefined {
  const id = textOf(data, name)
  if (id === undefined && data.has(`choice.${name}`)) throw new FieldProblem(name, t.ui.missing)
  return id
}
