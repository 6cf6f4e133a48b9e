import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { command, market, type PartImport } from '../api.ts'
import { save, textOfFile } from '../download.ts'
import { number } from '../format.ts'
import { counted, fill, problemText, t } from '../texts.ts'
import { Field, Form, textOf } from '../ui/form.tsx'
import { Page, Section } from '../ui/page.tsx'

type Row = PartImport['rows'][number]
type Cells = NonNullable<Row['cells']>

async function download(path: '/flows/v1/part-imports/template' | '/flows/v1/part-imports/export'): Promise<void> {
  const { data } = await market.GET(path, { parseAs: 'blob' })
  save(data as Blob, 'parts.csv')
}

const send = (csv: string, isDryRun: boolean) =>
  market.POST('/flows/v1/part-imports', {
    params: { query: isDryRun ? { dryRun: true } : {} },
    body: { csv },
  })

/** The columns that the table has, in the order of the rows. */
const columnsOf = (rows: readonly Row[]) => [
  ...new Set(rows.flatMap(({ cells }) => Object.keys(cells ?? {}) as (keyof Cells)[])),
]

/** The texts of problems or warnings by row and column. */
const textsOf = (found: PartImport['problems']) =>
  new Map(found.map(({ row, field, message }) => [`${row} ${field}`, problemText(message)]))

/** The rows of a table with what each does; a wrong cell says what is wrong, and one with a warning what is missing. */
function Preview({ rows, problems, warnings = [] }: PartImport) {
  const marked = [...problems, ...warnings].map(({ field }) => field as keyof Cells)
  const columns = [...new Set([...columnsOf(rows), ...marked])]
  const [messages, hints] = [textsOf(problems), textsOf(warnings)]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="scroll" tabIndex={0} aria-label={t.imports.rows}>
      <table class="compared sheet">
        <caption>{t.imports.preview}</caption>
        <thead>
          <tr>
            <th scope="col">{t.imports.row}</th>
            <th scope="col">{t.imports.action}</th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, action, cells = {} }) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              <td>
                <span class={action === 'REFUSE' ? 'badge bad' : 'badge'}>{t.imports.actions[action]}</span>
              </td>
              {columns.map((column) => {
                const [message, hint] = [messages.get(`${row} ${column}`), hints.get(`${row} ${column}`)]
                return (
                  <td key={column} class={message ? 'wrong' : ''}>
                    <span class="cell">{cells[column]}</span>
                    {message && <small class="error">{message}</small>}
                    {hint && <small class="quiet">{hint}</small>}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Parts from a table, with what each row does before anything is saved, and the own parts as a table. */
export function PartImportScreen() {
  const checked = useSignal<{ csv: string; plan: PartImport } | undefined>(undefined)
  const done = useSignal<PartImport | undefined>(undefined)
  /** The field of the table that was checked, where a problem of the whole table is shown. */
  const source = useRef('csv')
  const check = async (data: FormData) => {
    done.value = undefined
    const file = data.get('file')
    const csv = file instanceof File && file.size > 0 ? await textOfFile(file) : (textOf(data, 'csv') ?? '')
    source.current = file instanceof File && file.size > 0 ? 'file' : 'csv'
    checked.value = undefined
    checked.value = { csv, plan: (await send(csv, true)).data }
  }
  const run = async () => {
    const { csv } = checked.value ?? { csv: '' }
    done.value = await command(() => send(csv, false))
    checked.value = undefined
  }
  const plan = checked.value?.plan
  const changes = plan ? plan.created + plan.updated : 0
  const refused = plan?.rows.filter(({ action }) => action === 'REFUSE').length ?? 0
  return (
    <Page
      title={t.imports.title}
      over={<a href="/console/parts">{t.nav.parts}</a>}
      actions={
        <>
          <button type="button" onClick={() => download('/flows/v1/part-imports/template')}>
            {t.imports.template}
          </button>
          <button type="button" onClick={() => download('/flows/v1/part-imports/export')}>
            {t.imports.export}
          </button>
        </>
      }
    >
      <section class="panel">
        <p class="quiet">{t.imports.intro}</p>
        <Form onSend={check} submit={t.imports.check} isForgettable pathOf={() => source.current}>
          <Field name="file" label={t.imports.file} type="file" isOptional />
          <Field name="csv" label={t.imports.table} rows={4} isOptional />
        </Form>
        <div role="status">
          {done.value && (
            <p>
              {fill(t.imports.done, { created: number(done.value.created), updated: number(done.value.updated) })}{' '}
              <a href="/console/parts">{t.imports.toParts}</a>
            </p>
          )}
        </div>
      </section>
      {plan && (
        <Section title={t.imports.preview}>
          <p>
            {fill(t.imports.found, {
              created: number(plan.created),
              updated: number(plan.updated),
              unchanged: number(plan.unchanged),
              problems: number(refused),
            })}
          </p>
          {refused > 0 && <p class="hint">{t.imports.wrong}</p>}
          {refused === 0 && changes === 0 && <p class="hint">{t.imports.nothing}</p>}
          <Preview {...plan} />
          {refused === 0 && changes > 0 && (
            <Form onSend={run} submit={counted(t.imports.run, changes, number(changes))} isForgettable />
          )}
        </Section>
      )}
    </Page>
  )
}
