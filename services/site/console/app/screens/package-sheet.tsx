import { type Signal, signal } from '@preact/signals'
import type { TargetedClipboardEvent } from 'preact'
import { useId } from 'preact/hooks'
import type { Offer, RfqPackage } from '../api.ts'
import { amountText, number } from '../format.ts'
import { fill, t } from '../texts.ts'
import { FieldMessage, useFieldError } from '../ui/form.tsx'
import { markHalfFilled } from '../ui/half-filled.ts'
import { Badge } from '../ui/page.tsx'
import type { Outdated } from './package-standing.tsx'
import { partOf } from './package-texts.ts'

export type PackageLine = RfqPackage['lines'][number]

/** The columns that are typed or pasted, in the order of the table. */
export const COLUMNS = ['unitPrice', 'leadTimeDays', 'toolingCost', 'shippingCost'] as const
export type Column = (typeof COLUMNS)[number]
const LABELS: Record<Column, string> = {
  unitPrice: t.packages.price,
  leadTimeDays: t.packages.days,
  toolingCost: t.packages.toolingOf,
  shippingCost: t.packages.shippingOf,
}

/** A row of the table: a price break of a line. Only the first one of a line has its costs. */
export interface Row {
  line: PackageLine
  place: number
  minQuantity: number
  texts: Partial<Record<Column, Signal<string>>>
}

/** The rows of a line, with the newest offer that they begin with. */
export interface Line {
  line: PackageLine
  rows: Row[]
  current: Offer | undefined
  /** What the rows began with. */
  first: string
}

export const textsOf = (rows: readonly Row[]) =>
  JSON.stringify(rows.map(({ texts }) => COLUMNS.map((column) => texts[column]?.value.trim() ?? '')))

export function lineOf(line: PackageLine, current: Offer | undefined): Line {
  const breaks = new Map(current?.priceBreaks?.map((one) => [one.minQuantity, one]))
  const quantities = [...new Set([...breaks.keys(), ...line.quantities])].toSorted((a, b) => a - b)
  const rows = quantities.map((minQuantity, place): Row => {
    const known = breaks.get(minQuantity)
    const costs =
      place > 0
        ? {}
        : {
            toolingCost: signal(amountText(current?.toolingCost?.amount) ?? ''),
            shippingCost: signal(amountText(current?.shippingCost?.amount) ?? ''),
          }
    const texts = {
      unitPrice: signal(amountText(known?.unitPrice.amount) ?? ''),
      leadTimeDays: signal(known?.leadTimeDays.toString() ?? ''),
      ...costs,
    }
    return { line, place, minQuantity, texts }
  })
  return { line, rows, current, first: textsOf(rows) }
}

export const isPriced = ({ texts }: Row) =>
  ['unitPrice', 'leadTimeDays'].some((name) => texts[name as Column]?.value.trim())

interface CellProps {
  name: string
  label: string
  text: Signal<string>
  onPaste: (event: TargetedClipboardEvent<HTMLInputElement>) => void
}

/** A field in a table, with the message of the API for it. */
function Cell({ name, label, text, onPaste }: CellProps) {
  const id = useId()
  const error = useFieldError(name)
  return (
    <>
      <input
        name={name}
        aria-label={label}
        aria-invalid={error ? 'true' : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        inputMode="decimal"
        autocomplete="off"
        size={8}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onPaste={onPaste}
      />
      <FieldMessage id={id} error={error} />
    </>
  )
}

/** Fills the cells from one on with pasted cells of a spreadsheet. */
const pasteInto =
  (rows: readonly Row[], from: Row, first: Column) => (event: TargetedClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    if (!/[\t\n]/.test(pasted)) return
    event.preventDefault()
    const { form } = event.currentTarget
    if (form) markHalfFilled(form)
    const [top, left] = [rows.indexOf(from), COLUMNS.indexOf(first)]
    for (const [down, cells] of pasted.replace(/\r/g, '').replace(/\n$/, '').split('\n').entries()) {
      for (const [right, cell] of cells.split('\t').entries()) {
        const column = COLUMNS[left + right]
        const text = column && rows[top + down]?.texts[column]
        if (text) text.value = cell.trim()
      }
    }
  }

export const nameOf = ({ rfqId }: PackageLine, { place }: Pick<Row, 'place'>, column: Column) =>
  column === 'unitPrice' || column === 'leadTimeDays' ? `${rfqId}.priceBreaks.${place}.${column}` : `${rfqId}.${column}`

export function Rows({ lines, outdated }: { lines: readonly Line[]; outdated: ReadonlyMap<string, Outdated> }) {
  const rows = lines.flatMap((line) => line.rows)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="scroll" tabIndex={0} aria-label={t.offer.priceBreaks}>
      <table class="compared sheet">
        <caption>{t.offer.priceBreaks}</caption>
        <thead>
          <tr>
            <th scope="col">{t.rfqs.part}</th>
            <th scope="col">{t.packages.from}</th>
            {COLUMNS.map((column) => (
              <th key={column} scope="col">
                {LABELS[column]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { line, place, minQuantity, texts } = row
            const pieces = number(minQuantity)
            const current = lines.find((one) => one.line === line)?.current
            const old = outdated.get(line.rfqId)
            return (
              <tr key={`${line.rfqId} ${minQuantity}`}>
                {place === 0 && (
                  <th scope="row" rowSpan={lines.find((one) => one.line === line)?.rows.length}>
                    <a href={`/console/rfqs/${line.rfqId}`}>{partOf(line)}</a>{' '}
                    {current && <Badge of="offer" state={current.state} />}
                    {old && (
                      <small class="hint">
                        {old.reason ? fill(t.packages.outdatedOf, { reason: old.reason }) : t.packages.outdated}
                      </small>
                    )}
                  </th>
                )}
                <td class="number">{pieces}</td>
                {COLUMNS.map((column) => {
                  const text = texts[column]
                  return (
                    <td key={column}>
                      {text && (
                        <Cell
                          name={nameOf(line, row, column)}
                          label={fill(t.packages.cell, { column: LABELS[column], part: partOf(line), pieces })}
                          text={text}
                          onPaste={pasteInto(rows, row, column)}
                        />
                      )}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
