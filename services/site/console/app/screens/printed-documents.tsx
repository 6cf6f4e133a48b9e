import { PRINTED, PRINTED_KINDS } from '../../../../../proto/states/printed-documents.ts'
import type { Order } from '../api.ts'
import { saveFrom } from '../download.ts'
import { is } from '../me.ts'
import { printLanguage, t } from '../texts.ts'
import { Download } from '../ui/attempt.tsx'
import { Section } from '../ui/page.tsx'

type Kind = (typeof PRINTED_KINDS)[number]

/** Whether a document of the order exists, and is for the organization of the caller. */
export const mayPrint = (kind: Kind, order: Order) =>
  PRINTED[kind].from.includes(order.state) && PRINTED[kind].by.some((actor) => is(actor, order))

/** Makes a document of the order, or the packing list of one shipment, and saves it. */
export function print(
  { id }: Order,
  { kind, shipmentId, name }: { kind: Kind; shipmentId?: string; name: string },
): Promise<void> {
  const query = { kind, language: printLanguage, ...(shipmentId && { shipmentId }) }
  return saveFrom('/flows/v1/orders/{id}/document', `${name}.pdf`, { path: { id }, query })
}

/** The documents that the marketplace makes of the order, in the language of the page. */
export function PrintedDocuments({ order }: { order: Order }) {
  return (
    <Section title={t.orders.print}>
      <div class="actions">
        {PRINTED_KINDS.filter((kind) => mayPrint(kind, order)).map((kind) => (
          <Download
            key={kind}
            label={t.documentKinds[kind]}
            onRun={() => print(order, { kind, name: `${order.serialNumber} ${t.documentKinds[kind]}` })}
          />
        ))}
      </div>
    </Section>
  )
}
