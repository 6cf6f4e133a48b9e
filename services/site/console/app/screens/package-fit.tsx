import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type FactoryMatch, market, type RfqPackage } from '../api.ts'
import { useOnce } from '../data.ts'
import { number } from '../format.ts'
import { inParallel } from '../in-parallel.ts'
import { permits } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Section } from '../ui/page.tsx'
import { isUnsuitable, missedOf, unsuitableBecause } from './factory-match.tsx'
import { partOf } from './package-texts.ts'

export type Maker = readonly [id: string, name: string]

interface Found {
  orgIds: readonly string[]
  hasMore: boolean
}

/** The makers without a factory that qualifies, among all that qualify or those with the name of the maker. */
async function unfitOf(makers: readonly Maker[], find: (name?: string) => Promise<Found>): Promise<Maker[]> {
  const { orgIds, hasMore } = await find()
  const unfit: Maker[] = []
  for (const maker of makers) {
    const [id, name] = maker
    const isFit = orgIds.includes(id) || (hasMore && (await find(name)).orgIds.includes(id))
    if (!isFit) unfit.push(maker)
  }
  return unfit
}

const PAGE = { pageSize: 50 }

const findForPart = (partId: string) => async (q?: string) => {
  const query = { ...PAGE, view: 'CONSUMER' as const, partId, ...(q && { q }) }
  const { data } = await market.GET('/v1/factories', { params: { query } })
  return { orgIds: data.items.map(({ orgId }) => orgId), hasMore: data.hasMore }
}

async function matchesOf(id: string, q?: string) {
  const { data } = await market.GET('/flows/v1/rfqs/{id}/matches', {
    params: { path: { id }, query: { ...PAGE, ...(q && { q }) } },
  })
  return data
}

const findForRfq = (id: string) => async (q?: string) => {
  const { items, hasMore } = await matchesOf(id, q)
  const fit = items.filter((match) => !isUnsuitable(match))
  return { orgIds: fit.map(({ factory }) => factory.orgId), hasMore }
}

interface FormLine {
  id: string
  name: string
}

/** Waits until the choice has settled. */
const PAUSE_MS = 400

/** The makers of a new package that do not qualify for some of its parts. */
export function UnfitMakers({ parts, makers }: { parts: readonly FormLine[]; makers: readonly Maker[] }) {
  const told = useSignal<readonly string[]>([])
  const key = JSON.stringify([parts, makers])
  const shown = useRef(key)
  shown.current = key
  useEffect(() => {
    const read = async () => {
      const unfit = await inParallel(makers.length > 0 ? parts : [], ({ id }) =>
        unfitOf(makers, findForPart(id)).catch((): Maker[] => []),
      )
      if (shown.current !== key) return
      told.value = makers.flatMap((maker) => {
        const names = parts.filter((_, at) => unfit[at]?.includes(maker)).map(({ name }) => name)
        return names.length > 0 ? fill(t.packages.unfitOf, { maker: maker[1], parts: names.join(', ') }) : []
      })
    }
    const timer = setTimeout(read, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key])
  return (
    <div role="status">
      {told.value.length > 0 && (
        <div class="hint">
          {told.value.map((text) => (
            <p key={text}>{text}</p>
          ))}
          <p>{t.packages.unfitHint}</p>
        </div>
      )}
    </div>
  )
}

type Line = RfqPackage['lines'][number]

interface Unfit {
  line: Line
  maker: Maker
  /** The factory of the maker that lacks the least, of the first pairs. */
  closest?: FactoryMatch | undefined
}

/** Pairs that are shown, each with its reason. */
const MAX_SHOWN = 30

async function closestOf({ line, maker: [id, name] }: Unfit): Promise<FactoryMatch | undefined> {
  const { items } = await matchesOf(line.rfqId, name)
  return items.filter(({ factory }) => factory.orgId === id).toSorted((a, b) => missedOf(a) - missedOf(b))[0]
}

/** The makers that do not qualify for a draft line to which they are to be invited; undefined until it is known. */
export function useUnfit({ lines }: RfqPackage): readonly Unfit[] | undefined {
  const drafts = permits('GET /flows/v1/rfqs/{id}/matches') ? lines.filter(({ state }) => state === 'DRAFT') : []
  const key = JSON.stringify(drafts.map(({ rfqId, manufacturerIds }) => [rfqId, manufacturerIds]))
  const find = async (): Promise<readonly Unfit[]> => {
    const ids = [...new Set(drafts.flatMap(({ manufacturerIds }) => manufacturerIds))]
    if (ids.length === 0) return []
    const { data } = await market.POST('/v1/orgs:batch-get', { body: { ids } })
    const makers = data.items.map(({ id, name }) => [id, name] as const)
    const pairs = await inParallel(drafts, async (line) => {
      const invited = makers.filter(([id]) => line.manufacturerIds.includes(id))
      return (await unfitOf(invited, findForRfq(line.rfqId))).map((maker): Unfit => ({ line, maker }))
    })
    const unfit = pairs.flat()
    const closest = await inParallel(unfit.slice(0, MAX_SHOWN), closestOf)
    return unfit.map((pair, at) => ({ ...pair, closest: closest[at] }))
  }
  return useOnce(key, find).data
}

/** Which makers do not qualify for which line, and why. */
export const UnfitLines = ({ unfit = [] }: { unfit: readonly Unfit[] | undefined }) =>
  unfit.length === 0 ? null : (
    <Section title={t.packages.unfit}>
      <p class="hint">{t.packages.unfitHint}</p>
      <ul class="items">
        {unfit.slice(0, MAX_SHOWN).map(({ line, maker: [id, name], closest }) => (
          <li key={`${line.rfqId} ${id}`}>
            <span>
              <a href={`/console/rfqs/${line.rfqId}`}>{partOf(line)}</a> · {name}
              <br />
              <small class="quiet">{closest ? unsuitableBecause(closest) : t.packages.noFactory}</small>
            </span>
          </li>
        ))}
      </ul>
      {unfit.length > MAX_SHOWN && (
        <p class="quiet">{fill(t.packages.unfitMore, { count: number(unfit.length - MAX_SHOWN) })}</p>
      )}
    </Section>
  )
