import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { command, market, type PartImport } from '../api.ts'
import { saveFrom, textOfFile } from '../download.ts'
import { number } from '../format.ts'
import { counted, fill, t } from '../texts.ts'
import { Download } from '../ui/attempt.tsx'
import { Field, Form, textOf } from '../ui/form.tsx'
import { Page, Section } from '../ui/page.tsx'
import { Preview, Problems } from './part-import-preview.tsx'

const send = (csv: string, isDryRun: boolean) =>
  market.POST('/flows/v1/part-imports', {
    params: { query: isDryRun ? { dryRun: true } : {} },
    body: { csv },
  })

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
          <Download label={t.imports.template} onRun={() => saveFrom('/flows/v1/part-imports/template', 'parts.csv')} />
          <Download label={t.imports.export} onRun={() => saveFrom('/flows/v1/part-imports/export', 'parts.csv')} />
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
          {plan.problems.length > 0 && <Problems problems={plan.problems} />}
          {plan.updated > 0 && <p class="quiet">{t.imports.emptyCells}</p>}
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
