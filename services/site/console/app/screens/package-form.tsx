import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { numbersIn } from '../amounts.ts'
import { command, market, type Part, type RfqPackageInput } from '../api.ts'
import { can } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Field, FieldProblem, Form, textOf } from '../ui/form.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Picker } from '../ui/picker.tsx'
import { type Maker, UnfitMakers } from './package-fit.tsx'
import { contentOf, RfqFields } from './rfq-form.tsx'

const MAX_LINES = 100

/** A part with the quantities that were typed for it. */
interface Line {
  key: number
  part: Pick<Part, 'id' | 'title' | 'serialNumber'>
  quantities: Signal<string>
}

const VIEWS = () => (can('app:ip-owner') ? (['IP_OWNER', 'CONSUMER'] as const) : (['CONSUMER'] as const))

/** Own parts, and those that every consumer may source. */
async function findParts(q: string): Promise<Part[]> {
  const found = new Map<string, Part>()
  for (const view of VIEWS()) {
    const { data } = await market.GET('/flows/v1/parts', { params: { query: { view, q, pageSize: 20 } } })
    for (const part of data.items) found.set(part.id, part)
  }
  return [...found.values()]
}

const nameOf = ({ title, serialNumber }: Line['part']) => `${title ?? ''} (${serialNumber})`

interface PastedRow {
  row: string
  reference: string
  quantities: string
}

/** The cells of pasted rows. */
const rowsIn = (text: string): PastedRow[] =>
  text.split(/\r?\n/).flatMap((row) => {
    const [reference = '', ...quantities] = row.split(/\t|;/).map((cell) => cell.trim())
    return reference === '' ? [] : [{ row, reference, quantities: quantities.filter(Boolean).join(', ') }]
  })

/** Whether a first row names columns: its part is unknown, and where a quantity would be there is no number. */
const isHeader = ({ quantities }: PastedRow, index: number) => index === 0 && /^\D+$/.test(quantities)

/** How many parts that contain a reference are looked through in each view. */
const MAX_READ = 500

/** The part with this serial number or external reference; several have the same reference. */
async function partsOf(reference: string): Promise<Part[]> {
  const wanted = reference.toLowerCase()
  const found = new Map<string, Part>()
  for (const view of VIEWS()) {
    let read = 0
    for await (const part of market.pages('/flows/v1/parts', { params: { query: { view, q: reference } } })) {
      if (part.serialNumber.toLowerCase() === wanted) return [part]
      if (part.externalRef?.toLowerCase() === wanted) found.set(part.id, part)
      read += 1
      if (read === MAX_READ) break
    }
  }
  return [...found.values()]
}

/** Parts that are found by text, or pasted from a spreadsheet. */
function Lines({
  lines,
  add,
}: {
  lines: Signal<readonly Line[]>
  add: (part: Line['part'], quantities: string) => void
}) {
  const q = useSignal('')
  const found = useSignal<readonly Part[]>([])
  const hasFailed = useSignal(false)
  const pasted = useSignal('')
  const problems = useSignal<readonly string[]>([])
  const isBusy = useSignal(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const search = async (text: string) => {
    q.value = text
    const parts = text.trim() === '' ? [] : await findParts(text.trim()).catch(() => undefined)
    // Answers may arrive in another order than the requests were sent.
    if (q.value !== text) return
    found.value = parts ?? []
    hasFailed.value = !parts
  }
  const paste = async () => {
    isBusy.value = true
    const refused: string[] = []
    const kept: string[] = []
    for (const [index, pastedRow] of rowsIn(pasted.value).entries()) {
      const { row, reference, quantities } = pastedRow
      const parts = await partsOf(reference).catch(() => undefined)
      const [part] = parts ?? []
      if (part && parts?.length === 1) add(part, quantities)
      else if (!parts) {
        kept.push(row)
        refused.push(fill(t.packages.pasteFailed, { reference }))
      } else if (part || !isHeader(pastedRow, index)) {
        kept.push(row)
        refused.push(fill(part ? t.packages.pasteSeveral : t.packages.pasteUnknown, { reference }))
      }
    }
    problems.value = refused
    pasted.value = kept.join('\n')
    if (area.current) area.current.value = pasted.value
    isBusy.value = false
  }
  const offered = found.value.filter(({ id }) => lines.value.every(({ part }) => part.id !== id))
  return (
    <fieldset class="picker">
      <legend>{t.packages.parts}</legend>
      <input
        type="search"
        aria-label={t.packages.findPart}
        placeholder={t.packages.findPart}
        onInput={({ currentTarget }) => search(currentTarget.value)}
      />
      {offered.length > 0 && (
        <ul class="items" aria-label={t.packages.found}>
          {offered.map((part) => (
            <li key={part.id}>
              <span>{nameOf(part)}</span>
              <button type="button" aria-label={fill(t.ui.addOf, { name: nameOf(part) })} onClick={() => add(part, '')}>
                {t.ui.add}
              </button>
            </li>
          ))}
        </ul>
      )}
      {q.value.trim() !== '' && found.value.length === 0 && (
        <p class="quiet">{hasFailed.value ? t.ui.unreachable : t.packages.noPart}</p>
      )}
      <label class="field">
        {t.packages.paste}
        <textarea
          ref={area}
          rows={3}
          onInput={({ currentTarget }) => {
            pasted.value = currentTarget.value
          }}
        />
        <small class="quiet">{t.packages.pasteHint}</small>
      </label>
      <button type="button" disabled={isBusy.value || pasted.value.trim() === ''} onClick={paste}>
        {t.packages.pasteAdd}
      </button>
      <div role="status">
        {problems.value.map((problem) => (
          <p key={problem} class="error">
            {problem}
          </p>
        ))}
      </div>
      {lines.value.map(({ key, part, quantities }, index) => (
        <div key={key} class="columns">
          <Field
            name={`lines.${index}.quantities`}
            label={fill(t.packages.quantitiesOf, { part: nameOf(part) })}
            text={quantities}
          />
          <button
            type="button"
            aria-label={fill(t.ui.removeOf, { name: nameOf(part) })}
            onClick={() => {
              lines.value = lines.value.filter((one) => one.key !== key)
            }}
          >
            {t.ui.remove}
          </button>
        </div>
      ))}
    </fieldset>
  )
}

/** Organizations with a factory from which the consumer may source. */
async function findMakers(q: string): Promise<[id: string, name: string][]> {
  const query = { view: 'CONSUMER' as const, q, pageSize: 50 }
  const { data } = await market.GET('/v1/factories', { params: { query } })
  return [...new Map(data.items.map(({ orgId, orgName }) => [orgId, orgName]))]
}

const namesOf = async (ids: readonly string[]): Promise<[id: string, name: string][]> =>
  (await market.POST('/v1/orgs:batch-get', { body: { ids: [...ids] } })).data.items.map(({ id, name }) => [id, name])

/** A new package, whose RFQs are drafts until it is published. */
export function NewPackage() {
  const { route } = useLocation()
  const lines = useSignal<readonly Line[]>([])
  const makers = useSignal<readonly Maker[]>([])
  const next = useRef(0)
  /** A part that is there already gets the quantities, if there are any. */
  const add = (part: Line['part'], quantities: string) => {
    const isKnown = lines.value.some((line) => line.part.id === part.id)
    if (isKnown && quantities === '') return
    next.current += 1
    const added = { key: next.current, part, quantities: signal(quantities) }
    lines.value = isKnown
      ? lines.value.map((line) => (line.part.id === part.id ? added : line))
      : [...lines.value, added]
  }
  const create = async (data: FormData) => {
    if (lines.value.length === 0) throw new FieldProblem('lines', t.packages.noLines)
    const body: RfqPackageInput = {
      title: textOf(data, 'title') ?? '',
      lines: lines.value.map(({ part, quantities }) => ({ partId: part.id, quantities: numbersIn(quantities.value) })),
      manufacturerIds: data.getAll('manufacturerIds').map(String),
      ...termsIn(data),
    }
    const { id } = await command(() => market.POST('/flows/v1/rfq-packages', { body }))
    route(`/console/packages/${id}`)
  }
  return (
    <Page
      title={t.packages.create}
      over={
        <>
          <a href="/console/rfqs">{t.nav.rfqs}</a> · <a href="/console/packages">{t.packages.title}</a>
        </>
      }
    >
      <section class="panel narrow">
        <p class="quiet">{t.packages.createHint}</p>
        <Form
          onSend={create}
          submit={t.rfqs.saveDraft}
          blockedBy={lines.value.length > MAX_LINES ? t.packages.tooMany : undefined}
          pathOf={(field) => field.replace(/^(lines\.\d+)\..*$/, '$1.quantities')}
        >
          <Field name="title" label={t.packages.name} hint={t.packages.nameHint} isFocused />
          <Lines lines={lines} add={add} />
          <Picker
            name="manufacturerIds"
            label={t.packages.makers}
            chosen={[]}
            read={namesOf}
            find={findMakers}
            onChange={(chosen) => {
              makers.value = chosen
            }}
          />
          <UnfitMakers
            parts={lines.value.map(({ part }) => ({ id: part.id, name: nameOf(part) }))}
            makers={makers.value}
          />
          <Section title={t.packages.terms}>
            <RfqFields ofPackage />
          </Section>
        </Form>
      </section>
    </Page>
  )
}

function termsIn(data: FormData) {
  const { quantities: _, ...terms } = contentOf(data)
  return terms
}
