import { ApiError, createMarketplace, type Order, serviceAccount } from 'marketplace-client'

/** Prints each state of an order until it has ended. */
const { MARKETPLACE_URL: url = '' } = process.env
const { MARKETPLACE_CLIENT_ID: clientId = '', MARKETPLACE_CLIENT_SECRET: clientSecret = '' } = process.env
const market = createMarketplace({ url, credentials: serviceAccount({ clientId, clientSecret }) })

const ENDED: Order['state'][] = ['COMPLETED', 'DECLINED', 'CANCELLED']
const intervalMs = Number(process.env.INTERVAL_MS ?? 60_000)
const [id = ''] = process.argv.slice(2)

try {
  for (let shown: string | undefined; ; ) {
    const { data: order } = await market.GET('/v1/orders/{id}', { params: { path: { id } } })
    if (order.state !== shown) process.stdout.write(`${order.updatedTime} ${order.serialNumber} ${order.state}\n`)
    shown = order.state
    if (ENDED.includes(order.state)) break
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  process.stderr.write(`${error.message} (request ${error.requestId})\n`)
  process.exitCode = 1
}
