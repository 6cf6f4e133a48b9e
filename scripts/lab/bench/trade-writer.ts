import { DAY_MS } from '../../../proto/durations.ts'
import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import { bytesOf, type RequestText } from './http.ts'

export interface Trader {
  token: string | undefined
  orgId: string
  factoryId?: string
}

/** What the steps of one trade have created so far. */
interface Trade {
  part?: string
  rfq?: string
  offer?: string
  order?: string
}

interface Step {
  by: 'buyer' | 'maker'
  request(trade: Trade): Omit<RequestText, 'token'> & { json?: object }
  /** The record whose id the answer has. */
  creates?: keyof Trade
}

const PART: PartInput = {
  title: 'Impeller, cooling water pump',
  externalRef: 'DRW-4711-B',
  description: 'Closed impeller with six vanes, 120 mm.',
  materialId: '316l',
  processId: 'pbf-metal',
  boundingBox: { x: 120, y: 120, z: 45.5 },
}

/** Sends the commands of one trade after another: from a part to an order in production. */
export class TradeWriter {
  readonly #steps: readonly Step[]
  readonly #traders: { buyer: Trader; maker: Trader }
  #trade: Trade = {}
  #at = 0

  constructor(buyer: Trader, maker: Trader) {
    this.#traders = { buyer, maker }
    this.#steps = stepsOf(maker)
  }

  next = (): Uint8Array => {
    const { by, request } = this.#steps[this.#at] as Step
    const { json, ...text } = request(this.#trade)
    return bytesOf({
      method: 'POST',
      token: this.#traders[by].token,
      ...text,
      ...(json ? { body: JSON.stringify(json) } : {}),
    })
  }

  answered = (body: Buffer): void => {
    const { creates } = this.#steps[this.#at] as Step
    if (creates) this.#trade[creates] = idIn(JSON.parse(body.toString()), creates)
    this.#at = (this.#at + 1) % this.#steps.length
    if (this.#at === 0) this.#trade = {}
  }
}

function idIn(answer: { data?: { id: string }; id?: string; orders?: { id: string }[] }, what: keyof Trade): string {
  const id = what === 'order' ? answer.orders?.[0]?.id : (answer.data?.id ?? answer.id)
  if (!id) throw new Error(`no ${what} in an answer`)
  return id
}

function stepsOf({ orgId: manufacturerId, factoryId }: Trader): Step[] {
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const price = { minQuantity: 1, unitPrice: { amount: '131.5', currency: 'EUR' }, leadTimeDays: 21 }
  const act = (by: Step['by'], of: 'part' | 'rfq' | 'offer' | 'order', verb: string, json?: object): Step => ({
    by,
    request: (trade) => ({ path: `/flows/v1/${of}s/${trade[of]}/${verb}`, ...(json ? { json } : {}) }),
  })
  return [
    { by: 'buyer', creates: 'part', request: () => ({ path: '/v1/parts', json: PART }) },
    {
      by: 'buyer',
      request: ({ part }) => ({
        method: 'PATCH',
        path: `/flows/v1/parts/${part}`,
        json: { description: 'Six vanes.' },
      }),
    },
    act('buyer', 'part', 'publish'),
    {
      by: 'buyer',
      creates: 'rfq',
      request: ({ part: partId }) => ({
        path: '/flows/v1/rfqs',
        json: { partId, quantities: [10], expireTime: inDays(30), currency: 'EUR', deliveryRegionCode: 'NO' },
      }),
    },
    act('buyer', 'rfq', 'invite', { manufacturerIds: [manufacturerId] }),
    act('buyer', 'rfq', 'publish'),
    {
      by: 'maker',
      creates: 'offer',
      request: ({ rfq: rfqId }) => ({
        path: '/flows/v1/offers',
        json: { rfqId, factoryId, validUntil: inDays(60), priceBreaks: [price] },
      }),
    },
    act('maker', 'offer', 'submit'),
    act('buyer', 'rfq', 'close'),
    {
      by: 'buyer',
      creates: 'order',
      request: ({ rfq, offer: offerId }) => ({
        path: `/flows/v1/rfqs/${rfq}/award`,
        json: { awards: [{ offerId, quantity: 10 }] },
      }),
    },
    act('maker', 'order', 'confirm'),
    act('maker', 'order', 'start'),
  ]
}
