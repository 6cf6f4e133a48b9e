import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { marketplaceOf } from '../../../../services/testing/marketplace.ts'
import { rfqParties } from '../../../../services/testing/rfqs.ts'

setDefaultTimeout(30_000)
const MAIN = join(import.meta.dir, '..', 'src', 'cli', 'main.ts')
const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, partId } = await rfqParties(market)
const home = await mkdtemp(join(tmpdir(), 'marketplace-cli-'))
afterAll(() => rm(home, { recursive: true, force: true }))

async function run(org: typeof consumer, ...words: string[]) {
  const { accessToken = '' } = org.administrator.client
  const child = Bun.spawn([process.execPath, MAIN, ...words], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, MARKETPLACE_URL: market.url, MARKETPLACE_TOKEN: accessToken },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, output, errors }
}

const json = async (org: typeof consumer, ...words: string[]) => {
  const { code, output, errors } = await run(org, ...words)
  expect([code, errors]).toEqual([0, ''])
  return JSON.parse(output)
}

describe('options', () => {
  test('make an RFQ: an array is its option once for each item', async () => {
    const rfq = await json(
      consumer,
      ...['create-rfq', '--part-id', partId, '--expire-time', '2031-05-29T12:00:00Z', '--currency', 'EUR'],
      ...['--delivery-region-code', 'DK', '--quantities', '50', '--quantities', '10', '--sealed'],
      ...['--manufacturer-ids', maker.orgId],
    )
    expect(rfq).toMatchObject({
      state: 'DRAFT',
      partId,
      quantities: [50, 10],
      manufacturerIds: [maker.orgId],
      sealed: true,
    })
  })

  test('make the objects of a part: pairs, dotted options and JSON', async () => {
    const { id } = await json(
      ipOwner,
      ...['create-part', '--title', 'Impeller', '--bounding-box', 'x=90,y=90.5', '--bounding-box.z=12'],
      ...['--metadata', 'pump=P-101A, spare', '--metadata', '{"site.name": "Hull"}', '--metadata.drawing.rev=C'],
      ...['--keywords', 'pump', '--keywords', 'bronze, cast'],
    )
    expect(await json(ipOwner, 'get-part', id)).toMatchObject({
      boundingBox: { x: 90, y: 90.5, z: 12 },
      metadata: { pump: 'P-101A, spare', 'site.name': 'Hull', 'drawing.rev': 'C' },
      keywords: ['pump', 'bronze, cast'],
    })
  })

  test('make the objects of an array, which may have objects and arrays', async () => {
    const { id } = await json(
      maker,
      ...['create-factory', '--name', 'Bergen', '--address', 'regionCode=NO,locality=Bergen, Norge'],
      ...['--address.lines=Kaien 1', '--address.lines=Hall B'],
    )
    expect((await json(maker, 'get-factory', id)).address).toEqual({
      regionCode: 'NO',
      locality: 'Bergen, Norge',
      lines: ['Kaien 1', 'Hall B'],
    })
    const capability =
      'materialCode=316l,technologyId=pbf-lb-m,standardCodes=astm-f3184,maxEnvelope.x=250,maxEnvelope.y=250'
    const { capabilities } = await json(
      maker,
      ...['replace-factory-capabilities', id, '--capabilities', capability],
      ...['--capabilities', '{"materialCode": "316l", "technologyId": "pbf-eb-m"}'],
    )
    expect(capabilities).toMatchObject([
      { technologyId: 'pbf-lb-m', standardCodes: ['astm-f3184'], maxEnvelope: { x: 250, y: 250 } },
      { technologyId: 'pbf-eb-m', standardCodes: [] },
    ])
  })

  test('that are wrong end with 2 and say why', async () => {
    for (const [words, reason] of [
      [['--bounding-box', 'w=1'], 'The keys are x, y, z.'],
      [['--bounding-box.x=wide'], 'It is not a number.'],
      [['--bounding-box', 'x'], 'Give pairs such as key=value, or JSON.'],
      [['--bounding-box', '{"x":'], 'It is not JSON.'],
      [['--bounding-box', 'x.y=1'], 'x has no keys.'],
      [['--bounding-box', 'constructor=1'], 'The keys are x, y, z.'],
      [['--title.short=x'], "unknown option '--title.short=x'"],
      [['--idempotency-key', 'ü'], 'The value of --idempotency-key is not printable ASCII.'],
    ] as const) {
      const { code, output, errors } = await run(ipOwner, 'create-part', '--title', 'Gear', ...words)
      expect([words, code, output, errors]).toEqual([words, 2, '', expect.stringContaining(reason)])
    }
    const quantities = await run(consumer, 'create-rfq', '--quantities', '1', '--quantities', 'ten')
    expect([quantities.code, quantities.errors]).toEqual([2, expect.stringContaining('It is not a number.')])
    for (const words of [['get-part', ''], ['get-part'], ['get-part', 'a', 'b'], ['webhooks'], ['--nope'], ['nope']])
      expect([words, (await run(ipOwner, ...words)).code]).toEqual([words, 2])
  })
})

describe('an answer', () => {
  test('has its field error, also a single one whose detail is another text', async () => {
    const { id } = await json(ipOwner, 'create-part', '--title', 'Bare')
    const { code, errors } = await run(ipOwner, 'publish-part', id)
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/ \(\w+\)\n {2}materialType: is required to publish, or a materialId\nrequest \S+\n$/),
    ])
  })

  test('shows its ETag where it is asked for, and the next change takes it', async () => {
    const { id } = await json(ipOwner, 'create-part', '--title', 'Tagged')
    const read = await run(ipOwner, 'get-part', id, '--show-etag')
    const [, tag = ''] = /^ETag: ("[^"]+")\n$/.exec(read.errors) ?? []
    expect([read.code, JSON.parse(read.output).id, tag.length > 2]).toEqual([0, id, true])
    expect((await run(ipOwner, 'patch-part', id, '--title', 'Left', '--if-match', tag)).code).toBe(0)
    const late = await run(ipOwner, 'patch-part', id, '--title', 'Right', '--if-match', tag)
    expect([late.code, late.errors]).toEqual([1, expect.stringContaining('(precondition_failed)')])
  })

  test('that is a page names the next one, and is all of them with --all', async () => {
    const roles = ['list-roles', '--page-size', '2']
    const page = await run(ipOwner, ...roles)
    expect([page.code, page.errors]).toEqual([0, 'There are more: --page 2, or --all.\n'])
    expect(JSON.parse(page.output)).toEqual({ items: [expect.any(Object), expect.any(Object)], hasMore: true })
    const table = await run(ipOwner, ...roles, '--output', 'csv', '--columns', 'name')
    expect(table.errors).toBe('There are more: --page 2, or --all.\n')
    const all = await json(ipOwner, ...roles, '--all')
    expect([all.hasMore, all.items.length > 2]).toEqual([false, true])
    expect(await json(ipOwner, ...roles, '--q', 'no such role')).toEqual({ items: [], hasMore: false })
    // A list that is not paged has no hasMore.
    expect(await json(ipOwner, 'list-sessions')).toMatchObject({ items: [{ current: true }] })
  })
})

test('the help lists commands by resource', async () => {
  const { output } = await run(ipOwner, '--help')
  const groups = output.split('\n\n').map((block) => block.split('\n'))
  const commandsOf = (heading: string) =>
    groups
      .find(([first]) => first === heading)
      ?.slice(1)
      .map((line) => line.trim().split(' ')[0])
  expect(commandsOf('Uploads:')).toEqual(['create-upload-url'])
  expect(commandsOf('RFQs:')).toEqual(expect.arrayContaining(['create-rfq', 'list-rfqs', 'award-rfq', 'publish-rfq']))
  expect(commandsOf('Commands:')).toEqual(['login', 'logout', 'upload', 'webhooks', 'mcp', 'completion', 'help'])
})
