import { useSignal } from '@preact/signals'
import type { PackageComparison, RfqPackage } from '../api.ts'
import { useRecord } from '../data.ts'
import { saveFrom } from '../download.ts'
import { dayCount, number, pieces, share, totalText } from '../format.ts'
import { counted, fill, t } from '../texts.ts'
import { Download } from '../ui/attempt.tsx'
import { Icon } from '../ui/icon.tsx'
import { Badge, Section } from '../ui/page.tsx'
import { SortButton, sorted, useOrder } from '../ui/sorting.tsx'
import { Empty, Shown } from '../ui/states.tsx'
import { SupplierLine } from '../ui/supplier-figures.tsx'
import { PackageAward } from './package-award.tsx'
import { Cell, COSTS } from './package-cell.tsx'
import { PackageOrders } from './package-orders.tsx'
import { type Choice, isAwardable, mayAward, titleOf } from './package-texts.ts'

type Line = PackageComparison['lines'][number]

const forLines = (count: number) => counted(t.packages.forLines, count, number(count))

const KINDS = ['CHEAPEST', 'ONE_MAKER', 'FASTEST'] as const

/** The lines that count in the total of a manufacturer. */
const linesOf = (lines: readonly Line[], maker: string) =>
  lines.filter(
    (line) => isAwardable(line) && line.offers.some((one) => one.manufacturerOrgId === maker && mayAward(one)),
  ).length

type Coverage = Pick<PackageComparison['makers'][number], 'offeredLines' | 'askedLines'>

const coverageOf = ({ offeredLines, askedLines }: Coverage) =>
  fill(t.packages.coverage, { offered: number(offeredLines), asked: number(askedLines) })

const BY_TITLE = 'title'

/** What lines are sorted by: their title, or what they cost at a manufacturer. */
const keyOf = (by: string) => (line: Line) => {
  if (by === BY_TITLE) return titleOf(line)
  const total = line.offers.find(({ manufacturerOrgId }) => manufacturerOrgId === by)?.landedTotal
  return total && Number(total.amount)
}

interface MatrixProps {
  comparison: PackageComparison
  pkg: RfqPackage
  choice: Choice | undefined
  onQuantity: (rfqId: string, quantity: string) => void
}

/**
 * Lines as rows and manufacturers as columns, with the offers of the shown choice marked, not by colour only. In a
 * narrow window each line is a card, which begins with the chosen offer.
 */
function Matrix({ comparison: { makers, lines }, pkg, choice, onQuantity }: MatrixProps) {
  const chosen = new Set(choice?.awards.map(({ offerId }) => offerId))
  const order = useOrder()
  const shown = order.by.value === undefined ? lines : sorted(lines, keyOf(order.by.value), order.isDown.value)
  const quantitiesOf = new Map(pkg.lines.map(({ rfqId, quantities }) => [rfqId, quantities]))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="scroll" tabIndex={0} aria-label={t.packages.matrix}>
      <table class="compared matrix">
        <caption>{t.packages.matrix}</caption>
        <thead>
          <tr>
            <th scope="col" aria-sort={order.of(BY_TITLE)}>
              <SortButton order={order} by={BY_TITLE} label={t.packages.line} />
            </th>
            {makers.map(({ manufacturerOrgId, manufacturerName, offeredLines, askedLines }) => (
              <th key={manufacturerOrgId} scope="col" aria-sort={order.of(manufacturerOrgId)}>
                <SortButton order={order} by={manufacturerOrgId} label={manufacturerName} />
                <small>{coverageOf({ offeredLines, askedLines })}</small>
                <SupplierLine id={manufacturerOrgId} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((line) => {
            const { rfqId, quantity, state, offers } = line
            const stated = COSTS.map(([cost]) => cost).filter((cost) => offers.some((one) => one[cost]))
            const options = [...new Set([...(quantitiesOf.get(rfqId) ?? []), quantity])].toSorted((a, b) => a - b)
            return (
              <tr key={rfqId}>
                <th scope="row">
                  <a href={`/console/rfqs/${rfqId}`}>{titleOf(line)}</a> <Badge of="rfq" state={state} />
                  <select
                    aria-label={fill(t.packages.quantityOf, { part: titleOf(line) })}
                    value={String(quantity)}
                    onChange={({ currentTarget }) => onQuantity(rfqId, currentTarget.value)}
                  >
                    {options.map((each) => (
                      <option key={each} value={String(each)}>
                        {pieces(each)}
                      </option>
                    ))}
                  </select>
                </th>
                {makers.map(({ manufacturerOrgId, manufacturerName }) => {
                  const offer = offers.find((one) => one.manufacturerOrgId === manufacturerOrgId)
                  const isChosen = chosen.has(offer?.offerId ?? '')
                  return (
                    <Cell
                      key={manufacturerOrgId}
                      maker={manufacturerName}
                      offer={offer}
                      isChosen={isChosen}
                      stated={stated}
                    />
                  )
                })}
              </tr>
            )
          })}
          {(lines.some(isAwardable) || makers.some(({ total }) => total)) && (
            <tr class="total">
              <th scope="row">{t.packages.total}</th>
              {makers.map(({ manufacturerOrgId, manufacturerName, total, ...coverage }) => (
                <td key={manufacturerOrgId} class="number" data-label={manufacturerName}>
                  <div class="card">
                    <small>{coverageOf(coverage)}</small>
                    <SupplierLine id={manufacturerOrgId} />
                  </div>
                  {total && (
                    <>
                      {totalText(total)}
                      <small>{forLines(linesOf(lines, manufacturerOrgId))}</small>
                    </>
                  )}
                </td>
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}

/** The totals of the choices beside each other. */
const Choices = ({
  choices,
  shown,
  onShow,
}: {
  choices: readonly Choice[]
  shown: Choice | undefined
  onShow: (kind: Choice['kind']) => void
}) => (
  <div class="columns">
    {KINDS.map((kind) => {
      const choice = choices.find((one) => one.kind === kind)
      return (
        <section key={kind} class="choice-card" aria-label={t.packages.choice[kind]}>
          <h3>{t.packages.choice[kind]}</h3>
          {choice ? (
            <>
              <p>
                <strong>{totalText(choice.total)}</strong>
                <br />
                {fill(t.packages.longest, { days: dayCount(choice.leadTimeDays) })}
              </p>
              {choice.missingLines > 0 && (
                <p class="hint">{counted(t.packages.missing, choice.missingLines, number(choice.missingLines))}</p>
              )}
              <button type="button" aria-pressed={choice === shown} onClick={() => onShow(kind)}>
                {choice === shown ? t.packages.shown : t.packages.show}
              </button>
            </>
          ) : (
            <p class="quiet">{kind === 'ONE_MAKER' ? t.packages.noOneMaker : t.packages.noChoice}</p>
          )}
        </section>
      )
    })}
  </div>
)

/** What the marked offers are, and what another choice of the same lines would cost or save. */
function verdictOf(shown: Choice, choices: readonly Choice[]): string {
  const cheapest = choices.find(({ kind }) => kind === 'CHEAPEST')
  const made = fill(t.packages.marked, {
    choice: t.packages.choice[shown.kind],
    total: totalText(shown.total),
    days: dayCount(shown.leadTimeDays),
  })
  const [total, least] = [Number(shown.total.amount), Number(cheapest?.total.amount)]
  const isComparable = cheapest && cheapest !== shown && cheapest.missingLines === shown.missingLines && least > 0
  return isComparable && total > least
    ? `${made} ${fill(t.packages.over, { share: share((total - least) / least) })}`
    : made
}

/** The comparison of a published package, and its award. */
export function PackageMatrix({ pkg }: { pkg: RfqPackage }) {
  const quantities = useSignal<Readonly<Record<string, string>>>({})
  const kind = useSignal<Choice['kind']>('CHEAPEST')
  const typed = Object.entries(quantities.value).map(([rfqId, quantity]) => `${rfqId}:${quantity}`)
  const query = typed.length === 0 ? {} : { quantities: typed.join(',') }
  const params = { path: { id: pkg.id }, query }
  const read = useRecord('/flows/v1/rfq-packages/{id}/comparison', params)
  const download = () => saveFrom('/flows/v1/rfq-packages/{id}/comparison/export', 'comparison.csv', params)
  return (
    <Shown read={read}>
      {(comparison) => {
        const { choices, isSealed, makers, lines } = comparison
        const shown = choices.find((one) => one.kind === kind.value) ?? choices[0]
        return (
          <Section
            title={t.comparison.title}
            actions={
              <div class="actions">
                <Download label={t.packages.export} onRun={download} />
                <PackageAward pkg={pkg} comparison={comparison} choice={shown} />
              </div>
            }
          >
            {isSealed && <p class="hint">{t.packages.sealed}</p>}
            <PackageOrders comparison={comparison} />
            {!isSealed && lines.some(isAwardable) && (
              <Choices
                choices={choices}
                shown={shown}
                onShow={(chosen) => {
                  kind.value = chosen
                }}
              />
            )}
            {!isSealed && shown && (
              <p class="verdict">
                <Icon name="star" />
                <span>{verdictOf(shown, choices)}</span>
              </p>
            )}
            {makers.length === 0 ? (
              <Empty />
            ) : (
              <Matrix
                comparison={comparison}
                pkg={pkg}
                choice={shown}
                onQuantity={(rfqId, quantity) => {
                  quantities.value = { ...quantities.value, [rfqId]: quantity }
                }}
              />
            )}
          </Section>
        )
      }}
    </Shown>
  )
}
