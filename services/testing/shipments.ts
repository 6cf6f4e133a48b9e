import type { Shipment } from '../../proto/http/sourcing/shipments.ts'
import type { ApiAnswer, ApiClient } from './client.ts'
import type { Problem } from './people.ts'

type ShipmentAnswer = Promise<ApiAnswer<Shipment & Problem>>

/** The requests about the shipments of orders of one client. */
export const shipmentsOf = (client: ApiClient) => ({
  list: (orderId: string) =>
    client.get<{ items: Shipment[]; hasMore: boolean } & Problem>(`/flows/v1/orders/${orderId}/shipments?pageSize=50`),
  create: (orderId: string, body: object): ShipmentAnswer => client.post(`/flows/v1/orders/${orderId}/shipments`, body),
  receive: (orderId: string, shipmentId: string, body: object): ShipmentAnswer =>
    client.post(`/flows/v1/orders/${orderId}/shipments/${shipmentId}/receive`, body),
})
