import type { Shipment } from '../../proto/http/sourcing/shipments.ts'
import type { ApiClient } from './client.ts'
import { collectionOf } from './people.ts'

/** The requests about the shipments of orders of one client. */
export const shipmentsOf = (client: ApiClient) => {
  const of = (orderId: string) => collectionOf<Shipment>(client, `/flows/v1/orders/${orderId}/shipments`)
  return {
    list: (orderId: string) => of(orderId).list('?pageSize=50'),
    create: (orderId: string, body: object) => of(orderId).create(body),
    receive: (orderId: string, shipmentId: string, body: object) => of(orderId).act(shipmentId, 'receive', body),
  }
}
