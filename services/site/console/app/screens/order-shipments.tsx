import { useSignal } from '@preact/signals'
import { SHIPMENT } from '../../../../../proto/states/shipments.ts'
import { type Case, type Document, type Order, post, type Shipment } from '../api.ts'
import { type List, useAll, useList, useRecord } from '../data.ts'
import { date, number, pieces, time } from '../format.ts'
import { is, orgId, permits } from '../me.ts'
import { orgName } from '../names.tsx'
import { piecesLeft } from '../pieces.ts'
import { fill, t } from '../texts.ts'
import { Download } from '../ui/attempt.tsx'
import { Choices, chosenIn } from '../ui/choices.tsx'
import { Action, Reason } from '../ui/dialog.tsx'
import { DocumentName, type Needs, ShipmentNeeds } from '../ui/documents.tsx'
import { Field, FieldProblem, localTime, textOf, textsOf, timeOf } from '../ui/form.tsx'
import { ItemList } from '../ui/list.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { TakePhoto } from './order-photo.tsx'
import { mayPrint, print } from './printed-documents.tsx'

/** The documents that the order needs before it is shipped, for those that read its RFQ and have to know. */
export function useNeeds({ rfqId, manufacturerOrgId, sellerOrgId, consumerOrgId }: Order): Needs | undefined {
  const needsThem = [manufacturerOrgId, consumerOrgId].includes(orgId.value)
  const { data: rfq } = useRecord(needsThem ? '/v1/rfqs/{id}' : undefined, { path: { id: rfqId } })
  const kinds = rfq?.requiredDocuments ?? []
  return kinds.length > 0 ? { kinds, orgIds: [manufacturerOrgId, sellerOrgId] } : undefined
}

/** All documents of an order. */
const useDocuments = ({ id }: Order): readonly Document[] =>
  useAll('/flows/v1/orders/{id}/files', { path: { id } }).data ?? []

/** A whole number that was typed, between two; undefined for other text. */
function wholeIn(text: string, least: number, most: number): number | undefined {
  const value = /^\d+$/.test(text.trim()) ? Number(text.trim()) : Number.NaN
  return value >= least && value <= most ? value : undefined
}

const CERTIFICATES: readonly Document['kind'][] = [
  'CERTIFICATE_OF_CONFORMITY',
  'MATERIAL_CERTIFICATE',
  'INSPECTION_REPORT',
]

/** Whether a document is a certificate that was not sent with a shipment yet. */
const isNewCertificate = ({ kind, shipmentIds }: Document) => CERTIFICATES.includes(kind) && !shipmentIds

interface ShipProps {
  order: Order
  when: boolean
  isPrimary: boolean
}

/** A shipment, which begins with all pieces that are left. */
export function Ship({ order, ...shown }: ShipProps) {
  const needs = useNeeds(order)
  const documents = useDocuments(order).filter(({ supersededBy }) => !supersededBy)
  const left = piecesLeft(order)
  const quantity = useSignal('')
  const opened = useSignal('')
  const begin = async () => {
    quantity.value = String(left)
    opened.value = localTime()
  }
  const isWrong = wholeIn(quantity.value, 1, left) === undefined
  const problem = isWrong ? fill(t.shipments.badQuantity, { most: number(left) }) : undefined
  const ship = (data: FormData) => {
    // The field shows minutes, so an unchanged one would be an earlier time.
    const isNow = textOf(data, 'shippedTime') === opened.value
    const shippedTime = isNow ? undefined : timeOf(data, 'shippedTime')
    const documentIds = chosenIn(data, 'documentIds')
    return post('/flows/v1/orders/{id}/shipments', order.id, {
      quantity: Number(quantity.value),
      ...textsOf(data, 'carrier', 'trackingNumber'),
      ...(shippedTime && { shippedTime }),
      ...(documentIds.length > 0 && { documentIds }),
    })
  }
  return (
    <Action label={t.verbs.ship} onOpen={begin} onRun={ship} form={{ blockedBy: problem }} {...shown}>
      {needs && <ShipmentNeeds id={order.id} needs={needs} />}
      <Field
        name="quantity"
        label={t.shipments.quantity}
        hint={fill(t.shipments.left, { count: pieces(left) })}
        type="number"
        text={quantity}
        problem={problem}
        isFocused
      />
      <Field name="carrier" label={t.orders.carrier} value={order.carrier} isOptional />
      <Field name="trackingNumber" label={t.orders.tracking} isOptional />
      <Field name="shippedTime" label={t.shipments.time} type="datetime-local" value={opened.value} />
      {documents.length > 0 && (
        <Choices
          name="documentIds"
          label={t.shipments.documents}
          hint={t.shipments.documentsHint}
          options={documents.map(({ id, name, kind }) => [id, `${name} (${t.documentKinds[kind]})`])}
          chosen={documents.filter(isNewCertificate).map(({ id }) => id)}
        />
      )}
    </Action>
  )
}

/** The receipt of a shipment, which begins with all its pieces as accepted. */
function Receive({ order, shipment }: { order: Order; shipment: Shipment }) {
  const { id: shipmentId, quantity, state } = shipment
  const accepted = useSignal('')
  const count = wholeIn(accepted.value, 0, quantity)
  const problem = count === undefined ? fill(t.shipments.badAccepted, { most: number(quantity) }) : undefined
  const rejected = quantity - (count ?? quantity)
  const receive = (data: FormData) => {
    const reason = rejected > 0 ? textOf(data, 'reason') : undefined
    if (rejected > 0 && reason === undefined) throw new FieldProblem('reason', t.ui.missing)
    const body = { acceptedQuantity: quantity - rejected, rejectedQuantity: rejected, ...(reason && { reason }) }
    return post('/flows/v1/orders/{id}/shipments/{shipmentId}/receive', { id: order.id, shipmentId }, body)
  }
  return (
    <Action
      label={t.verbs.receive}
      of={pieces(quantity)}
      when={
        SHIPMENT.isLegal('receive', state) &&
        is('consumer', order) &&
        permits('POST /flows/v1/orders/{id}/shipments/{shipmentId}/receive')
      }
      onOpen={async () => {
        accepted.value = String(quantity)
      }}
      onRun={async (data) => receive(data)}
      form={{ blockedBy: problem }}
    >
      <Field
        name="acceptedQuantity"
        label={t.shipments.accepted}
        type="number"
        text={accepted}
        problem={problem}
        isFocused
      />
      <p role="status">{fill(t.shipments.rejected, { count: number(rejected) })}</p>
      {rejected > 0 && (
        <>
          <p class="hint">{fill(t.shipments.rejectHint, { maker: orgName(order.manufacturerOrgId) })}</p>
          <Reason isLater />
        </>
      )}
    </Action>
  )
}

/** When a shipment left, arrived and was received. */
const timesOf = ({ shippedTime, arrivedTime, receivedTime }: Shipment) =>
  [
    fill(t.shipments.shipped, { time: time(shippedTime) }),
    arrivedTime && fill(t.shipments.arrived, { time: time(arrivedTime) }),
    receivedTime && fill(t.shipments.received, { time: time(receivedTime) }),
  ]
    .filter(Boolean)
    .join(' · ')

interface EntryProps {
  order: Order
  shipment: Shipment
  /** The current documents that belong to it. */
  documents: readonly Document[]
  /** The case that its rejection has opened. */
  rejection: Case | undefined
}

const Entry = ({ order, shipment, documents, rejection }: EntryProps) => {
  const { quantity, state, carrier, trackingNumber, acceptedQuantity, rejectedQuantity = 0, reason } = shipment
  const name = fill(t.shipments.packingListName, { number: order.serialNumber, day: date(shipment.shippedTime) })
  return (
    <li>
      <span>
        <strong>{pieces(quantity)}</strong> {[carrier, trackingNumber].filter(Boolean).join(', ')}
        <br />
        <small class="quiet">{timesOf(shipment)}</small>
        {acceptedQuantity !== undefined && (
          <>
            <br />
            {fill(t.shipments.outcome, { accepted: number(acceptedQuantity), rejected: number(rejectedQuantity) })}
            {reason && `: ${reason}`}
            {rejection && (
              <>
                {' '}
                <a href={`/console/cases/${rejection.id}`}>{t.shipments.case}</a>
              </>
            )}
          </>
        )}
        {documents.length > 0 && (
          <ul class="attached" aria-label={t.shipments.documents}>
            {documents.map((document) => (
              <li key={document.id}>
                <DocumentName document={document} /> <small class="quiet">{t.documentKinds[document.kind]}</small>
              </li>
            ))}
          </ul>
        )}
      </span>
      <span class="end actions">
        {rejectedQuantity > 0 && (
          <span class="badge bad">{fill(t.orders.rejectedChip, { count: number(rejectedQuantity) })}</span>
        )}
        <Badge of="shipment" state={state} />
        {mayPrint('PACKING_LIST', order) && (
          <Download
            label={t.shipments.packingList}
            onRun={() => print(order, { kind: 'PACKING_LIST', shipmentId: shipment.id, name })}
          />
        )}
        <Receive order={order} shipment={shipment} />
      </span>
    </li>
  )
}

/** The cases that rejections of the order have opened, at the time of the receipt. */
function useRejections({ id, rejectedQuantity = 0 }: Order): readonly Case[] {
  const isRead = rejectedQuantity > 0 && permits('GET /flows/v1/cases')
  const query = { orderId: id, pageSize: 50 }
  const { data = [] } = useList(isRead ? '/flows/v1/cases' : undefined, { query })
  return data.filter(({ kind }) => kind === 'QUALITY')
}

const BEFORE: readonly Order['state'][] = ['PLACED', 'CONFIRMED', 'DECLINED', 'CANCELLED']

/** The shipments of an order, which the consumer receives. */
export function Shipments({ order, list }: { order: Order; list: List<Shipment> }) {
  const documents = useDocuments(order)
  const rejections = useRejections(order)
  if (list.data?.length === 0 && BEFORE.includes(order.state)) return null
  return (
    <Section title={t.shipments.title} actions={<TakePhoto order={order} />}>
      <ItemList list={list} empty={t.shipments.none}>
        {(shipment) => (
          <Entry
            key={shipment.id}
            order={order}
            shipment={shipment}
            documents={documents.filter((each) => !each.supersededBy && each.shipmentIds?.includes(shipment.id))}
            rejection={rejections.find(({ createdTime }) => createdTime === shipment.receivedTime)}
          />
        )}
      </ItemList>
    </Section>
  )
}
