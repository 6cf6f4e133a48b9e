import { createMarketplace, serviceAccount } from 'marketplace-client'

/** Prints all parts of the IP owner as CSV. */
const { MARKETPLACE_URL: url = '' } = process.env
const { MARKETPLACE_CLIENT_ID: clientId = '', MARKETPLACE_CLIENT_SECRET: clientSecret = '' } = process.env
const market = createMarketplace({ url, credentials: serviceAccount({ clientId, clientSecret }) })

const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
const lines = ['serialNumber,title,state']
for await (const part of market.pages('/v1/parts', { params: { query: { view: 'IP_OWNER' } } })) {
  lines.push([part.serialNumber, cell(part.title ?? ''), part.state].join())
}
process.stdout.write(`${lines.join('\r\n')}\r\n`)
