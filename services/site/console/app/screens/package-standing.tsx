import { useSignal } from '@preact/signals'
import { ApiError, at, market, type Offer, post, type RfqPackage } from '../api.ts'
import { number } from '../format.ts'
import { inParallel } from '../in-parallel.ts'
import { permits } from '../me.ts'
import { counted, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { FieldProblem } from '../ui/form.tsx'
import { partOf } from './package-texts.ts'

type PackageLine = RfqPackage['lines'][number]

const MAX_PAGES = 20

/** The own offers for the lines of a package, newest first. */
export async function readOffers(id: string): Promise<Offer[]> {
  const found: Offer[] = []
  for (let page = 1, hasMore = true; hasMore && page <= MAX_PAGES; page++) {
    const params = { path: { id }, query: { page, pageSize: 50 } }
    const { data } = await market.GET('/flows/v1/rfq-packages/{id}/offers', { params })
    found.push(...data.items)
    hasMore = data.hasMore
  }
  return found
}

/** An outdated offer, with the reason of the amendment since. */
export interface Outdated {
  offer: Offer
  reason: string | undefined
}

/** The outdated offers by their RFQ. */
export async function readOutdated(offers: readonly Offer[]): Promise<Map<string, Outdated>> {
  const outdated = offers.filter(({ state, isOutdated }) => state === 'SUBMITTED' && isOutdated)
  const found = await inParallel(outdated, async (offer) => {
    const { data } = await market.GET('/v1/rfqs/{id}', at(offer.rfqId))
    return [offer.rfqId, { offer, reason: data.amendmentReason }] as const
  })
  return new Map(found)
}

/** Reconfirms each outdated offer, and tells the first refusal. */
export function ReconfirmAll({
  lines,
  outdated,
  onDone,
}: {
  lines: readonly PackageLine[]
  outdated: ReadonlyMap<string, Outdated>
  onDone: () => Promise<unknown>
}) {
  const waiting = lines.flatMap((line) => {
    const found = outdated.get(line.rfqId)
    return found ? [{ line, offer: found.offer }] : []
  })
  const reconfirm = async () => {
    let refused: { line: PackageLine; error: unknown } | undefined
    for (const { line, offer } of waiting) {
      await post('/flows/v1/offers/{id}/reconfirm', offer.id).catch((error: unknown) => {
        refused ??= { line, error }
      })
    }
    await onDone()
    if (!refused) return
    const { line, error } = refused
    if (!(error instanceof ApiError)) throw error
    throw new FieldProblem('', `${partOf(line)}: ${error.detail ?? error.message}`)
  }
  return (
    <>
      {waiting.length > 0 && (
        <p class="hint">{counted(t.packages.outdatedHint, waiting.length, number(waiting.length))}</p>
      )}
      <Action
        label={t.packages.reconfirmAll}
        hint={t.offer.reconfirmHint}
        when={waiting.length > 0 && permits('POST /flows/v1/offers/{id}/reconfirm')}
        isPrimary
        onRun={reconfirm}
      />
    </>
  )
}

/** Accepts the confidentiality terms of all lines that await it, which are shown before. */
export function AcceptTerms({ pkg, lines }: { pkg: RfqPackage; lines: readonly PackageLine[] }) {
  const texts = useSignal<readonly string[]>([])
  const read = async () => {
    const found = new Set<string>()
    for (const { rfqId } of lines) {
      const { data } = await market.GET('/v1/rfqs/{id}', at(rfqId))
      if (data.confidentialityTerms) found.add(data.confidentialityTerms)
    }
    texts.value = [...found]
  }
  return (
    <>
      {lines.length > 0 && <p class="hint">{counted(t.packages.acceptHint, lines.length, number(lines.length))}</p>}
      <Action
        label={t.packages.accept}
        hint={t.confidentiality.acceptHint}
        when={lines.length > 0 && permits('POST /flows/v1/rfq-packages/{id}/accept-terms')}
        isPrimary
        isWide
        onOpen={read}
        onRun={() => post('/flows/v1/rfq-packages/{id}/accept-terms', pkg.id)}
      >
        {texts.value.map((text) => (
          <p key={text} class="text">
            {text}
          </p>
        ))}
      </Action>
    </>
  )
}
