import { expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { PipelinedReads } from '../../kit/db/pipelined-reads.ts'
import { ReadShares } from '../../kit/limits/request-reads.ts'
import { readFor } from '../../kit/pagination/pagination.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { findPage } from './list.ts'

/** All of one organization, which has too many for a scan of its own parts (`OWN_SCAN`); 20,800 are public. */
const ROWS = 52_000
const VIEWS = ['CONSUMER', 'IP_OWNER'] as const
type View = (typeof VIEWS)[number]

setDefaultTimeout(120_000)
const db = await testDatabase()
await loadParts(db.owner, { count: ROWS, organizations: 1 })
const sql = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const primaryReads = new PipelinedReads(sql)
const shares = new ReadShares({ reads: primaryReads, primaryReads }, { size: 8, maxWaitMs: 10 })
const contextOf = (signal: AbortSignal) => {
  const request = { signal }
  return { caller: { orgId: 'org_0' }, request, ...shares.of(request, 'org_0', { access: 'token' }) }
}
const context = contextOf(new AbortController().signal)
const query = { page: 1, pageSize: 10 }
const readAt = (offset: number) => readFor({ query, ...context }, { offset })
const page = { after: undefined, limit: 11 }

const found = async (view: View, q: string, offset: number) =>
  (await findPage(context, readAt(offset), { view, q, offset, ...page })).map(({ position }) => position)

await db.owner`
  create unlogged table public.expected_texts as
  select id, lower(search) as text, state = 'PUBLISHED' and not internal as public from sourcing.parts`

/** The expected pages at these offsets, by one scan of all texts. */
async function matching(view: View, q: string, offsets: readonly number[]): Promise<string[][]> {
  const rows = await db.owner<{ page: number; id: string }[]>`
    with matches as materialized (
      select id, row_number() over (order by id desc) as number from public.expected_texts
      where strpos(text, lower(${q})) > 0 and (${view === 'IP_OWNER'} or public))
    select page::integer, id from unnest(${[...offsets]}::integer[]) with ordinality wanted (first, page)
    join matches on number > first and number <= first + 11
    order by page, number`
  return offsets.map((_, at) => rows.filter(({ page }) => page === at + 1).map(({ id }) => id))
}

const WORDS = [
  ...[
    'Impeller',
    'ring',
    'e',
    'E ',
    ' 1',
    '%',
    '_',
    '\\',
    '-',
    '#ü',
    'zzz',
    'q',
    'zz',
    '0000',
    'ref-00019',
    'iMPELLER a',
  ],
  ...['---', 'äöü', 'a#', 'g-', '漢字漢字', 'r 0a', '\u001f'],
]

test.each(VIEWS.flatMap((view) => WORDS.map((q) => [view, q] as const)))('%s: a page of %p', async (view, q) => {
  const offsets = [0, 44]
  const expected = q === '\u001f' ? [[], []] : await matching(view, q, offsets)
  for (const [at, offset] of offsets.entries()) expect(await found(view, q, offset)).toEqual(expected[at] ?? [])
})

/** All parts match the first text, an eighth the second, one in a hundred the third, and ten the last. */
test.each(VIEWS.flatMap((view) => ['e', 'impeller', 'REF-0001', 'REF-0000100'].map((q) => [view, q] as const)))(
  '%s: every page of %p has the matches of a plain scan',
  async (view, q) => {
    const offsets = [5, 1990, 4995, 11_000, 20_795, 1_000_000]
    const expected = await matching(view, q, offsets)
    for (const [at, offset] of offsets.entries()) expect(await found(view, q, offset)).toEqual(expected[at] ?? [])
  },
)

test('a search ends when its client has disconnected', async () => {
  const disconnected = contextOf(AbortSignal.abort())
  const search = { view: 'CONSUMER' as const, q: 'e', offset: 30_000, ...page }
  await expect(findPage(disconnected, disconnected.read, search)).rejects.toThrow()
})

test('far pages wait for a permit of the long reads, near pages do not', async () => {
  const at = (offset: number, q?: string) =>
    findPage(context, readAt(offset), { view: 'CONSUMER', offset, ...page, ...(q ? { q } : {}) })
  await withoutLongReads(async () => {
    await expect(at(30_000, 'e')).rejects.toThrow('rate_limited')
    await expect(at(200_000)).rejects.toThrow('rate_limited')
    for (const near of [await at(0, 'e'), await at(0), await at(20_000)]) expect(near).toHaveLength(11)
  })
})

/** Runs the work while the organization has no free permit for a long read. */
async function withoutLongReads(work: () => Promise<void>): Promise<void> {
  const done = Promise.withResolvers<void>()
  // A quarter of eight connections.
  const reads = [1, 2].map(() => context.longRead(() => done.promise, 'seconds'))
  await work().finally(done.resolve)
  await Promise.all(reads)
}

test('when the index times out, the search scans the parts as a long read', async () => {
  const [shipped] = await db.owner<{ definition: string }[]>`
    select pg_get_functiondef('sourcing.bigram_text(text)'::regprocedure) as definition`
  // Slow for a short value (the searched text) and fast for the texts of parts, as with many more parts.
  await db.owner`
    create or replace function sourcing.bigram_text(value text) returns text
    language plpgsql immutable as $$ begin
      if length(value) < 10 then perform pg_sleep(0.5); end if;
      return 'x' || array_to_string(string_to_array(lower(value), null), 'x') || 'x';
    end $$`
  try {
    for (const q of ['qx', 'a#', '9-']) {
      expect([await found('CONSUMER', q, 0)]).toEqual(await matching('CONSUMER', q, [0]))
    }
    await withoutLongReads(async () => {
      await expect(found('CONSUMER', 'qx', 0)).rejects.toThrow('rate_limited')
    })
  } finally {
    await db.owner.unsafe(shipped?.definition ?? '')
  }
})
