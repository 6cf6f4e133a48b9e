import { euros, inDays } from '../demo/values.ts'
import { companyOf, type Demo } from './companies.ts'
import { factoryNamed, partNamed } from './parts.ts'
import { type DemoPackage, PACKAGES } from './story.ts'

const OPEN_DAYS = 180
const VALID_DAYS = 270

/** Plays the packages of the story, each with the offers of its manufacturers. */
export async function playPackages(demo: Demo): Promise<void> {
  for (const one of PACKAGES) await playPackage(demo, one)
}

async function playPackage(demo: Demo, { consumer, title, manufacturers, terms, lines, offers }: DemoPackage) {
  const buyer = companyOf(demo, consumer).member
  const body = {
    ...terms,
    title,
    lines: lines.map(({ part, quantities }) => ({ partId: partNamed(demo, part), quantities })),
    manufacturerIds: manufacturers.map((key) => companyOf(demo, key).orgId),
    expireTime: inDays(OPEN_DAYS),
    currency: 'EUR' as const,
    deliveryRegionCode: 'DK',
  }
  const { data: created } = await buyer.POST('/flows/v1/rfq-packages', { body })
  const params = { path: { id: created.id } }
  await buyer.POST('/flows/v1/rfq-packages/{id}/publish', { params })
  const rfqOf = (part: string) => created.lines.find(({ partId }) => partId === partNamed(demo, part))?.rfqId ?? ''
  for (const { manufacturer, factory, prices } of offers) {
    const quoted = prices.map(({ part, unitPrice, leadTimeDays }) => ({
      rfqId: rfqOf(part),
      factoryId: factoryNamed(demo, factory),
      priceBreaks: [{ minQuantity: 1, unitPrice: euros(unitPrice), leadTimeDays }],
      validUntil: inDays(VALID_DAYS),
    }))
    const maker = companyOf(demo, manufacturer).member
    await maker.POST('/flows/v1/rfq-packages/{id}/offers', { params, body: { lines: quoted, submit: true } })
  }
}
