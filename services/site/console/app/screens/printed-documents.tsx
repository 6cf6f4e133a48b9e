import { PRINTED, PRINTED_KINDS } from '../../../../../proto/states/printed-documents.ts'
import { market, type Order } from '../api.ts'
import { save } from '../download.ts'
import { is } from '../me.ts'
import { printLanguage, t } from '../texts.ts'
import { Section } from '../ui/page.tsx'

type Kind = (typeof PRINTED_KINDS)[number]

/** The documents that the marketplace makes of the order, in the language of the page. */
export function PrintedDocuments({ order }: { order: Order }) {
  const { id, serialNumber, state } = order
  const kinds = PRINTED_KINDS.filter((kind) => {
    const { from, by } = PRINTED[kind]
    return from.includes(state) && by.some((actor) => is(actor, order))
  })
  const print = async (kind: Kind) => {
    const params = { path: { id }, query: { kind, language: printLanguage } }
    const { data } = await market.GET('/flows/v1/orders/{id}/document', { params, parseAs: 'blob' })
    save(data as Blob, `${serialNumber} ${t.documentKinds[kind]}.pdf`)
  }
  return (
    <Section title={t.orders.print}>
      <div class="actions">
        {kinds.map((kind) => (
          <button key={kind} type="button" onClick={() => print(kind)}>
            {t.documentKinds[kind]}
          </button>
        ))}
      </div>
    </Section>
  )
}
