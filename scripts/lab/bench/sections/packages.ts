import { newId } from '../../../../services/kit/db/ids.ts'
import { succeeded } from '../../../../services/testing/client.ts'
import { asOwner } from '../../../../services/testing/load/owner.ts'
import { inHours } from '../../../../services/testing/rfqs.ts'
import { inRounds, median, msOf, rounds } from '../compare.ts'
import type { Section } from '../context.ts'
import { LARGE_TRADER } from '../database.ts'
import { signIn } from '../services.ts'

const LINES = 100
const MAKERS = 10
const ROUNDS = 8

/** A package of 100 lines for ten manufacturers: its publication, and the comparison with an offer per invitation. */
export const measurePackages: Section = async function* (context) {
  const { database } = context
  const client = await signIn(context, 'sourcing', LARGE_TRADER)
  const post = (path: string, body?: object) => succeeded(client.post<{ id: string }>(path, body))
  const manufacturerIds = Array.from({ length: MAKERS }, () => newId('org'))
  await asOwner(
    database.ownerUrl,
    (owner) => owner`
      insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
      select id, id, '{MANUFACTURER}', 'NO', 'DIRECT', now() from unnest(${manufacturerIds}::text[]) id`,
  )
  const partIds = await Promise.all(
    Array.from({ length: LINES }, async () => {
      const part = { title: 'Impeller', materialType: 'metal', internal: true }
      return (await post('/v1/parts', part)).id
    }),
  )
  const create = () =>
    post('/flows/v1/rfq-packages', {
      title: 'Pump overhaul',
      lines: partIds.map((partId) => ({ partId, quantities: [10, 50] })),
      manufacturerIds,
      expireTime: inHours(48),
      currency: 'EUR',
      deliveryRegionCode: 'DK',
    })
  const publish = async () => {
    const { id } = await create()
    return msOf(() => post(`/flows/v1/rfq-packages/${id}/publish`))
  }
  await publish()
  const [published = Number.NaN] = (await inRounds(rounds(ROUNDS), [publish])).map(median)
  const what = `package of ${LINES} lines for ${MAKERS} manufacturers`
  yield {
    what: `publication of a ${what}`,
    ours: `${published.toFixed(0)} ms`,
    reference: '',
    result: published,
    unit: 'ms',
    wanted: { atMost: 2000 },
  }

  const { id } = await create()
  await post(`/flows/v1/rfq-packages/${id}/publish`)
  await asOwner(
    database.ownerUrl,
    (owner) => owner`
      insert into sourcing.offers (id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id,
        state, currency, price_breaks, tooling_cost, valid_until, revision, rfq_version, created_at, submitted_at, updated_at)
      select 'offer_' || md5(rfq.id || maker), rfq.id, rfq.part_id, maker, rfq.consumer_org_id, rfq.ip_owner_org_id, 'factory_1',
        'SUBMITTED', 'EUR', '[{"minQuantity": 1, "unitPrice": "120.5", "leadTimeDays": 21}, {"minQuantity": 10, "unitPrice": "95", "leadTimeDays": 28}]',
        250, now() + interval '30 days', 1, 1, now(), now(), now()
      from sourcing.rfqs rfq cross join unnest(${manufacturerIds}::text[]) maker where rfq.package_id = ${id}`,
  )
  const compare = () => msOf(() => succeeded(client.get(`/flows/v1/rfq-packages/${id}/comparison`)))
  await compare()
  const [compared = Number.NaN] = (await inRounds(rounds(3 * ROUNDS), [compare])).map(median)
  yield {
    what: `comparison of a ${what}, with ${LINES * MAKERS} offers`,
    ours: `${compared.toFixed(0)} ms`,
    reference: '',
    result: compared,
    unit: 'ms',
    wanted: { atMost: 300 },
  }
}
