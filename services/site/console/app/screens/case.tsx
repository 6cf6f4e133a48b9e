import { CASE } from '../../../../../proto/states/cases.ts'
import { at, type Case, market, patch, post } from '../api.ts'
import { caseTitle } from '../case-title.ts'
import { useRecord } from '../data.ts'
import { time } from '../format.ts'
import { mayUse, permits } from '../me.ts'
import { OrgName } from '../names.tsx'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Documents } from '../ui/documents.tsx'
import { Edit } from '../ui/edit.tsx'
import { textOf } from '../ui/form.tsx'
import { Badge, Facts, Page, Section } from '../ui/page.tsx'
import { Picture, pictureOf } from '../ui/picture.tsx'
import { Shown } from '../ui/states.tsx'
import { Expenses } from './case-expenses.tsx'
import { Messages, Unread } from './case-messages.tsx'
import { Tasks } from './case-tasks.tsx'
import { About, CaseFields, usePartTitles } from './cases.tsx'

interface PartProps {
  record: Case
  /** Whether its content, tasks and expenses can be changed. */
  mayEdit: boolean
}

function Steps({ record, mayEdit }: PartProps) {
  const { id } = record
  const change = (data: FormData, headers: { 'If-Match': string }) => {
    const body = { title: textOf(data, 'title') ?? '', description: textOf(data, 'description') ?? null }
    return patch('/flows/v1/cases/{id}', id, body, headers)
  }
  return (
    <>
      {(['archive', 'unarchive', 'reopen', 'close'] as const).map((verb) => (
        <Action
          key={verb}
          label={t.cases.verbs[verb]}
          hint={t.cases.hints[verb]}
          when={mayUse(CASE, verb, record)}
          onRun={() => post(`/flows/v1/cases/{id}/${verb}`, id)}
        />
      ))}
      <Edit
        label={t.verbs.patch}
        of={caseTitle(record)}
        submit={t.ui.save}
        when={mayEdit}
        read={() => market.GET('/flows/v1/cases/{id}', at(id))}
        onRun={change}
      >
        {(present) => <CaseFields record={present} />}
      </Edit>
    </>
  )
}

/** The title of the part that the RFQ of the case is for. */
function PartOf({ record }: { record: Case }) {
  const title = usePartTitles([record])(record)
  return title === '' ? null : <> · {title}</>
}

export function CaseScreen({ id = '' }: { id?: string }) {
  const read = useRecord('/flows/v1/cases/{id}', { path: { id } })
  return (
    <Shown isScreen read={read}>
      {(record) => {
        const mayEdit = record.state === 'OPEN' && permits('PATCH /flows/v1/cases/{id}')
        const part = { record, mayEdit }
        return (
          <Page
            title={caseTitle(record)}
            over={
              <>
                <a href="/console/cases">{t.nav.cases}</a> · {t.cases.kinds[record.kind]}
                <PartOf record={record} />
              </>
            }
            picture={<Picture kind="case" url={pictureOf(record)} alt="" size="large" />}
            badge={
              <>
                <Badge of="case" state={record.state} /> <Unread of={record} />
              </>
            }
            actions={<Steps {...part} />}
          >
            <div class="beside">
              <div class="stack">
                <Messages {...part} />
                <Tasks {...part} />
                <Expenses {...part} />
              </div>
              <div class="stack">
                <Section title={t.cases.case}>
                  {record.description && <p class="text">{record.description}</p>}
                  <Facts
                    of={[
                      [t.cases.about, <About key="about" of={record} />],
                      [t.cases.openedBy, <OrgName key="org" id={record.orgId} />],
                      [
                        t.cases.parties,
                        <ul key="parties" class="items">
                          {record.partyOrgIds.map((each) => (
                            <li key={each}>
                              <OrgName id={each} />
                            </li>
                          ))}
                        </ul>,
                      ],
                      [t.cases.closedBy, record.closedByOrgId && <OrgName key="closer" id={record.closedByOrgId} />],
                      [t.cases.created, time(record.createdTime)],
                      [t.parts.updated, time(record.updatedTime)],
                    ]}
                  />
                </Section>
                <Documents
                  of="case"
                  id={id}
                  mayAdd={record.state === 'OPEN' && permits('PATCH /flows/v1/cases/{id}/files')}
                />
              </div>
            </div>
          </Page>
        )
      }}
    </Shown>
  )
}
