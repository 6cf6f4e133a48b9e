import { Elysia } from 'elysia'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { getOrderDocument } from '../../../proto/http/sourcing/printed-documents.ts'
import type { Shipment } from '../../../proto/http/sourcing/shipments.ts'
import { PRINTED } from '../../../proto/states/printed-documents.ts'
import { found, invalidField, notFound, refuse } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import type { ObserveConcurrency } from '../../kit/metrics/concurrency.ts'
import { loadFonts } from './fonts.ts'
import { pdfOf } from './paper.ts'
import { findPrinted } from './queries.ts'
import { fileNameOf, languageOf, printProblem } from './rules.ts'
import { sheetOf } from './sheet.ts'

/** A document takes some tens of milliseconds of the processor, in short steps. */
const DOCUMENTS = { what: 'documents to print', permits: 4, permitsPerKey: 1 }

interface Deps {
  http: Http
  observeConcurrency: ObserveConcurrency
}

export const printedDocumentRoutes = ({ http, observeConcurrency }: Deps) => {
  const permits = new KeyedSemaphore(DOCUMENTS)
  observeConcurrency(permits)
  return new Elysia({ name: 'sourcing.printed-documents' }).use(
    http.route(getOrderDocument, (context) =>
      permits.run(context.caller.orgId, context.request.signal, () => print(context)),
    ),
  )
}

async function print({ caller, params, query, now, read, request }: CallerContext<typeof getOrderDocument>) {
  const { kind, shipmentId, language = languageOf(request.headers.get('accept-language')) } = query
  if (shipmentId !== undefined && kind !== 'PACKING_LIST') throw invalidField('shipmentId', 'is only for PACKING_LIST')
  const readsBilling = caller.permissions.has('assignment:read')
  const wanted = { id: params.id, shipmentId, readers: PRINTED[kind].by, readsBilling }
  const row = found(await read((sql) => findPrinted(sql, caller.orgId, wanted)))
  if (shipmentId !== undefined && row.shipment === null) throw notFound()
  const order: Order = JSON.parse(row.document)
  const problem = printProblem(kind, order.state)
  if (problem !== undefined) throw refuse('illegal_transition', { detail: problem })
  const shipment: Shipment | undefined = row.shipment === null ? undefined : JSON.parse(row.shipment)
  const pdf = await pdfOf(sheetOf({ ...row, order, shipment }, { kind, language, now }), await loadFonts())
  return new Raw(pdf, 'application/pdf', {
    'content-disposition': `attachment; filename="${fileNameOf(order.serialNumber, kind)}"`,
    'content-language': language,
    vary: 'Authorization, Accept-Language',
  })
}
