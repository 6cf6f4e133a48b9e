import { describe, expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { euros, offersOf } from '../../testing/offers.ts'
import { lineOffer, packageParties, packagesOf, rfqIdsOf } from '../../testing/packages.ts'
import { inHours, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await packageParties(market)
const { consumer, maker, stranger, factoryId, rivalFactoryId, packages, rfqs, draft, open, makers, rivals } = parties
const own = offersOf(maker.administrator.client)

const offersFor = async (rfqId: string) => (await own.list(`?rfqId=${rfqId}&pageSize=50`)).body.items

describe('POST /flows/v1/rfq-packages/{id}/offers', () => {
  test('drafts an offer for each line of the request, in its order', async () => {
    const pkg = await open()
    const [first = '', second = '', third = ''] = rfqIdsOf(pkg)
    const { status, body } = await makers.offer(pkg.id, {
      lines: [lineOffer(third, factoryId, '30'), lineOffer(first, factoryId, '10', 5, { reference: 'Q-1' })],
    })
    expect(status).toBe(200)
    expect(body.items).toMatchObject([
      { rfqId: third, state: 'DRAFT', revision: 1, factoryId },
      { rfqId: first, state: 'DRAFT', revision: 1, reference: 'Q-1' },
    ])
    expect(await offersFor(second)).toEqual([])
    const listed = await makers.offers(pkg.id)
    expect(listed.body.items.map(({ rfqId }) => rfqId).toSorted()).toEqual([first, third].toSorted())
    expect((await rivals.offers(pkg.id)).body.items).toEqual([])
  })

  test('replaces the content of the draft of a line, and revises a submitted offer', async () => {
    const pkg = await open()
    const [first = ''] = rfqIdsOf(pkg)
    const drafted = (await makers.offer(pkg.id, { lines: [lineOffer(first, factoryId, '10', 5, { notes: 'One.' })] }))
      .body.items[0]
    const submitted = await makers.offer(pkg.id, { lines: [lineOffer(first, factoryId, '9')], submit: true })
    expect(submitted.body.items).toMatchObject([{ id: drafted?.id as string, state: 'SUBMITTED', revision: 1 }])
    expect(submitted.body.items[0]).not.toHaveProperty('notes')
    const revised = (await makers.offer(pkg.id, { lines: [lineOffer(first, factoryId, '8')] })).body.items[0]
    expect(revised).toMatchObject({ state: 'DRAFT', revision: 2 })
    expect((await offersFor(first)).map(({ state }) => state)).toEqual(['DRAFT', 'SUBMITTED'])
    await makers.offer(pkg.id, { lines: [lineOffer(first, factoryId, '7')], submit: true })
    expect(
      (await offersFor(first)).map(({ state, priceBreaks }) => [state, priceBreaks?.[0]?.unitPrice.amount]),
    ).toEqual([
      ['SUBMITTED', '7.00'],
      ['SUPERSEDED', '9.00'],
    ])
  })

  test('submits all, and the consumer learns of each', async () => {
    const pkg = await open()
    const lines = rfqIdsOf(pkg).map((rfqId) => lineOffer(rfqId, factoryId, '10'))
    const { status, body } = await makers.offer(pkg.id, { lines, submit: true })
    expect([status, body.items.map(({ state }) => state)]).toEqual([200, ['SUBMITTED', 'SUBMITTED', 'SUBMITTED']])
    for (const { id } of body.items) {
      const events = await market.db.owner<{ type: string; tenant_id: string }[]>`
        select type, tenant_id from sourcing.outbox where data::json -> 'cause' ->> 'id' = ${id} order by seq`
      expect(events.map(({ tenant_id }) => tenant_id)).toContain(consumer.orgId)
    }
    const invitations = (await makers.read(pkg.id)).body.lines.map(({ invitationState }) => invitationState)
    expect(invitations).toEqual(['OFFERED', 'OFFERED', 'OFFERED'])
  })

  test('names every line that is refused, and then drafts none', async () => {
    const pkg = await open()
    const [first = '', second = '', third = ''] = rfqIdsOf(pkg)
    const { status, body } = await makers.offer(pkg.id, {
      lines: [
        lineOffer(first, factoryId, '10'),
        lineOffer(second, rivalFactoryId, '10'),
        lineOffer(third, factoryId, '10', 5, { toolingCost: { amount: '1', currency: 'NOK' } }),
      ],
    })
    expect({ status, fields: body.errors?.map(({ field }) => field).toSorted() }).toEqual({
      status: 400,
      fields: ['lines.1.factoryId', 'lines.2.toolingCost.currency'],
    })
    expect((await makers.offers(pkg.id)).body.items).toEqual([])
  })

  test('submits none where one is refused', async () => {
    const pkg = await open()
    const [first = '', second = '', third = ''] = rfqIdsOf(pkg)
    await rfqs.act(third, 'close')
    const lines = [first, second, third].map((rfqId) => lineOffer(rfqId, factoryId, '10'))
    const closed = await makers.offer(pkg.id, { lines, submit: true })
    expect({ status: closed.status, errors: closed.body.errors }).toEqual({
      status: 409,
      errors: [{ field: 'lines.2.rfqId', message: 'is CLOSED, not OPEN' }],
    })
    const expired = await makers.offer(pkg.id, {
      lines: [lines[0], lineOffer(second, factoryId, '10', 5, { validUntil: inHours(-1) })],
      submit: true,
    })
    expect({ status: expired.status, detail: expired.body.detail, errors: expired.body.errors }).toEqual({
      status: 409,
      detail: `Nothing was changed, because of lines.1 (${second}).`,
      errors: [{ field: 'lines.1.validUntil', message: 'must be in the future' }],
    })
    expect((await makers.offers(pkg.id)).body.items).toEqual([])
  })

  test.each([
    [
      'an RFQ that is named twice',
      (rfqId: string) => [lineOffer(rfqId, factoryId, '1'), lineOffer(rfqId, factoryId, '2')],
      'lines.1.rfqId',
    ],
    [
      'price breaks with one quantity',
      (rfqId: string) => [
        {
          ...lineOffer(rfqId, factoryId, '1'),
          priceBreaks: [1, 1].map((minQuantity) => ({ minQuantity, unitPrice: euros('1'), leadTimeDays: 1 })),
        },
      ],
      'lines.0.priceBreaks.1.minQuantity',
    ],
    ['no line', () => [], 'lines'],
  ])('%s is 400', async (_, linesOf, field) => {
    const pkg = await open()
    const { status, body } = await makers.offer(pkg.id, { lines: linesOf(rfqIdsOf(pkg)[0] ?? '') })
    expect({ status, field: body.errors?.[0]?.field }).toEqual({ status: 400, field })
  })

  test("a line of others, another package's, a draft and an unknown RFQ are refused alike", async () => {
    const pkg = await open()
    const [other, hidden] = [await open(), await draft()]
    const refused = async (rfqId: string) => {
      const { status, body } = await rivals.offer(pkg.id, { lines: [lineOffer(rfqId, rivalFactoryId, '1')] })
      return { status, errors: body.errors?.map(({ field, message }) => [field, message.replace(rfqId, '…')]) }
    }
    const unknown = await refused('rfq_00000000000000000000000000')
    expect(unknown.status).toBe(400)
    const ids = [pkg.lines[2]?.rfqId, other.lines[0]?.rfqId, hidden.lines[0]?.rfqId]
    for (const id of ids) expect(await refused(id ?? '')).toEqual(unknown)
  })

  test('is 404 for a package to which the organization is not invited, like for an unknown one', async () => {
    const [pkg, hidden] = [await open(), await draft()]
    const strangers = packagesOf(stranger.administrator.client)
    for (const [client, id] of [
      [strangers, pkg.id],
      [makers, hidden.id],
      [packages, pkg.id],
    ] as const) {
      const lines = [lineOffer(pkg.lines[0]?.rfqId ?? '', factoryId, '1')]
      expect((await client.offer(id, { lines })).status).toBe(404)
      expect((await client.offers(id)).status).toBe(404)
    }
  })

  test('needs offer:create, and offer:submit to submit', async () => {
    const pkg = await open()
    const [drafter, submitter] = [await maker.member(['offer:create']), await maker.member(['offer:submit'])]
    const lines = [lineOffer(pkg.lines[0]?.rfqId ?? '', factoryId, '1')]
    expect((await packagesOf(submitter.client).offer(pkg.id, { lines })).status).toBe(403)
    expect((await packagesOf(drafter.client).offer(pkg.id, { lines, submit: true })).status).toBe(403)
    expect((await packagesOf(drafter.client).offer(pkg.id, { lines })).status).toBe(200)
  })

  test('after a decline is 409 for that line', async () => {
    const pkg = await open()
    const [first = ''] = rfqIdsOf(pkg)
    await rfqsOf(maker.administrator.client).act(first, 'decline')
    const { status, body } = await makers.offer(pkg.id, { lines: [lineOffer(first, factoryId, '1')] })
    expect({ status, fields: body.errors?.map(({ field }) => field) }).toEqual({
      status: 409,
      fields: ['lines.0.rfqId'],
    })
  })
})

describe('offers as CSV', () => {
  const send = (id: string, csv: string, query = '') =>
    fetch(`${market.url}/flows/v1/rfq-packages/${id}/offers${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${maker.administrator.client.accessToken}`, 'content-type': 'text/csv' },
      body: csv,
    })
  const problemsOf = async (answer: Response) => {
    const { errors = [] } = (await answer.json()) as { errors?: { field: string; message: string }[] }
    return errors.map(({ field }) => field)
  }

  test('the template has a row for each line and quantity; filled in, it is a submission', async () => {
    const pkg = await open()
    const [first = '', , third = ''] = rfqIdsOf(pkg)
    await rfqs.act(third, 'close')
    const template = await maker.administrator.client.get<string>(`/flows/v1/rfq-packages/${pkg.id}/offers/template`)
    const [header = '', ...rows] = template.text.replace('\ufeff', '').trim().split('\r\n')
    expect(header).toBe(
      'rfqId,serialNumber,partTitle,quantity,minQuantity,unitPrice,leadTimeDays,toolingCost,shippingCost,factoryId,validUntil,reference,paymentTerms,notes',
    )
    expect(rows.length).toBe(4)
    expect(rows[0]).toBe(`${first},${pkg.lines[0]?.serialNumber},Impeller,10,10,,,,,,,,,`)
    const valid = inHours(96)
    const filled = [
      header,
      `${first},,,,10,"12,5",28,"1.200,00",49.9,${factoryId},${valid},Q-7,,Two weeks by air`,
      `${first},,,,50,11,35,,,,,,,`,
      rows[2],
      rows[3],
    ].join('\r\n')
    const answer = await send(pkg.id, `\ufeff${filled}`, '?submit=true')
    const { items } = (await answer.json()) as { items: object[] }
    expect(answer.status).toBe(200)
    expect(items).toMatchObject([
      {
        rfqId: first,
        state: 'SUBMITTED',
        priceBreaks: [
          { minQuantity: 10, unitPrice: euros('12.50'), leadTimeDays: 28 },
          { minQuantity: 50, unitPrice: euros('11.00'), leadTimeDays: 35 },
        ],
        toolingCost: euros('1200.00'),
        shippingCost: euros('49.90'),
        reference: 'Q-7',
        notes: 'Two weeks by air',
      },
    ])
  })

  const HEADER = 'rfqId;minQuantity;unitPrice;leadTimeDays;factoryId;validUntil;notes'
  test.each([
    ['an ambiguous comma', '1;1,234;5;F;2031-06-29;', 'rows.2.unitPrice'],
    ['a formula as a price', '1;=1+1;5;F;2031-06-29;', 'rows.2.unitPrice'],
    ['a formula as a text', '1;1;5;F;2031-06-29;=cmd()', 'rows.2.notes'],
    ['a negative price', '1;-1;5;F;2031-06-29;', 'rows.2.unitPrice'],
    ['too many decimals', '1;1.23456;5;F;2031-06-29;', 'rows.2.unitPrice'],
    ['a quantity that is none', 'ten;1;5;F;2031-06-29;', 'rows.2.minQuantity'],
    ['no lead time', '1;1;;F;2031-06-29;', 'rows.2.leadTimeDays'],
    ['an American day', '1;1;5;F;06/29/2031;', 'rows.2.validUntil'],
    ['no factory', '1;1;5;;2031-06-29;', 'rows.2.factoryId'],
    ['a lead time above ten years', '1;1;4000;F;2031-06-29;', 'rows.2.leadTimeDays'],
  ])('%s is a problem of its cell', async (_, cells, field) => {
    const pkg = await open()
    const row = `${pkg.lines[0]?.rfqId};${cells.replace('F', factoryId)}`
    const answer = await send(pkg.id, `${HEADER}\n${row}`)
    expect([answer.status, await problemsOf(answer)]).toEqual([400, [field]])
  })

  test('two values of one line, a factory of others and a quantity twice are problems of their rows', async () => {
    const pkg = await open()
    const [first = '', second = ''] = rfqIdsOf(pkg)
    const file = (...rows: string[]) => send(pkg.id, [HEADER, ...rows].join('\n'))
    const day = '29.6.2031'
    const differing = await file(`${first};1;1;5;${factoryId};${day};One.`, `${first};2;1;5;;;Two.`)
    expect(await problemsOf(differing)).toEqual(['rows.3.notes'])
    const foreign = await file(`${first};1;1;5;${factoryId};${day};`, `${second};1;1;5;${rivalFactoryId};${day};`)
    expect(foreign.status).toBe(400)
    expect(await foreign.json()).toMatchObject({
      detail: expect.stringMatching(/^rows\.3\.factoryId: /),
      errors: [{ field: 'rows.3.factoryId' }],
    })
    const repeated = await file(`${first};1;1;5;${factoryId};${day};`, `${first};1;2;5;;;`)
    expect(await problemsOf(repeated)).toEqual(['rows.3.minQuantity'])
    expect((await makers.offers(pkg.id)).body.items).toEqual([])
  })

  test('both lines and csv, or neither, are 400', async () => {
    const pkg = await open()
    expect((await makers.offer(pkg.id, {})).status).toBe(400)
    expect((await makers.offer(pkg.id, { csv: HEADER, lines: [lineOffer('rfq_x', factoryId, '1')] })).status).toBe(400)
  })
})

test('an Idempotency-Key of drafts is 409 for the same file with `submit=true`, which submits under a key of its own', async () => {
  const pkg = await open()
  const csv = `rfqId,minQuantity,unitPrice,leadTimeDays,factoryId,validUntil\n${pkg.lines[0]?.rfqId},1,10,5,${factoryId},2031-06-29`
  const headers = { 'content-type': 'text/csv', 'idempotency-key': crypto.randomUUID() }
  const path = `/flows/v1/rfq-packages/${pkg.id}/offers`
  const { client } = maker.administrator
  const drafted = await client.post<{ items: { state: string }[] }>(path, csv, headers)
  expect([drafted.status, drafted.body.items.map(({ state }) => state)]).toEqual([200, ['DRAFT']])
  expect((await client.post(path, csv, headers)).text).toBe(drafted.text)
  const other = await client.post<{ code: string }>(`${path}?submit=true`, csv, headers)
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
  const own = { ...headers, 'idempotency-key': crypto.randomUUID() }
  const submitted = await client.post<{ items: { state: string }[] }>(`${path}?submit=true`, csv, own)
  expect(submitted.body.items.map(({ state }) => state)).toEqual(['SUBMITTED'])
})
