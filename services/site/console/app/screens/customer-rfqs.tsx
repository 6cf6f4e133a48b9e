import { useSignal } from '@preact/signals'
import { RFQ } from '../../../../../proto/states/rfqs.ts'
import type { Rfq, RfqState } from '../api.ts'
import { useList } from '../data.ts'
import { number, time } from '../format.ts'
import { permits } from '../me.ts'
import { OrgName, partTitle } from '../names.tsx'
import { t } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { setIn, useFilter } from '../ui/filters.ts'
import { bind, type Column, Filter, ListTable, orAll, StateFilter } from '../ui/list.tsx'
import { Badge, Facts, Page } from '../ui/page.tsx'
import { termFacts } from './rfq-terms.tsx'
import { closingOf } from './rfqs.tsx'

/** Shows what an RFQ asks for, because it has no page of its own for a distributor. */
function Terms({ rfq }: { rfq: Rfq }) {
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  return (
    <div class="actions">
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        {t.customers.terms}
      </button>
      {isOpen.value && (
        <Dialog title={`${t.customers.terms}: ${rfq.serialNumber}`} isWide onClose={close}>
          <div class="stack">
            <Facts of={[...termFacts(rfq), [t.rfqs.requirements, rfq.requirements], [t.ui.reason, rfq.reason]]} />
            <div class="buttons">
              <button type="button" class="primary" onClick={close}>
                {t.ui.close}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  )
}

const COLUMNS: readonly Column<Rfq>[] = [
  {
    label: t.rfqs.part,
    cell: (rfq) => (
      <>
        <strong>{partTitle(rfq.partId, rfq.serialNumber)}</strong> <small class="quiet">{rfq.serialNumber}</small>
      </>
    ),
  },
  { label: t.rfqs.consumer, cell: ({ consumerOrgId }) => <OrgName id={consumerOrgId} /> },
  { label: t.rfqs.quantities, cell: ({ quantities }) => quantities.map(number).join(' · '), isNumber: true },
  {
    label: t.rfqs.closes,
    cell: (rfq) => (rfq.state === 'OPEN' ? time(rfq.expireTime) : closingOf(rfq).join(': ')),
  },
  { label: t.ui.state, cell: ({ state }) => <Badge of="rfq" state={state} /> },
  { label: t.ui.actions, cell: (rfq) => <Terms rfq={rfq} /> },
]

const STATES = RFQ.states.filter((state) => state !== 'DRAFT')

/** The published RFQs of the consumers that are engaged through a distributor. */
export function CustomerRfqs() {
  const mayFilter = permits('GET /flows/v1/orgs')
  const customers = useList(mayFilter ? '/flows/v1/orgs' : undefined, { query: { pageSize: 50 } })
  const state = useFilter<RfqState | ''>('state', '', STATES)
  const consumerOrgId = useFilter('consumer', '')
  const list = useList('/flows/v1/distributor/rfqs', { query: setIn({ state, consumerOrgId }) })
  return (
    <Page title={t.nav.customers}>
      <section class="panel list">
        <p class="quiet">{t.customers.about}</p>
        <div class="filters">
          {mayFilter && (
            <Filter
              label={t.rfqs.consumer}
              {...bind(consumerOrgId)}
              options={orAll((customers.data ?? []).map(({ id, name }) => [id, name]))}
            />
          )}
          <StateFilter of="rfq" states={STATES} state={state} />
        </div>
        <ListTable caption={t.nav.customers} list={list} columns={COLUMNS} empty={t.customers.empty} />
      </section>
    </Page>
  )
}
