import { useSignal } from '@preact/signals'
import { type Document, type DocumentKind, patch } from '../api.ts'
import { type List, useList } from '../data.ts'
import { bytes, time } from '../format.ts'
import { orgId } from '../me.ts'
import { OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { underOwnName, upload } from '../upload.ts'
import { Action } from './dialog.tsx'
import { Field, FieldProblem, textOf } from './form.tsx'
import { Badge, Section } from './page.tsx'
import { Empty, Shown } from './states.tsx'

const PATHS = {
  rfq: '/flows/v1/rfqs/{id}/files',
  offer: '/flows/v1/offers/{id}/files',
  order: '/flows/v1/orders/{id}/files',
  case: '/flows/v1/cases/{id}/files',
} as const

interface RecordProps {
  of: keyof typeof PATHS
  id: string
}

interface MayProps {
  /** Whether the organization may add documents, and supersede its own. */
  mayAdd?: boolean
  /** Whether it may remove its own. */
  mayRemove?: boolean
}

const KINDS = Object.entries(t.documentKinds) as [DocumentKind, string][]

/** What a document is called, which can be downloaded when it is READY. */
export const DocumentName = ({ document: { name, state, downloadUrl, reason } }: { document: Document }) =>
  downloadUrl ? (
    <a href={underOwnName(downloadUrl)} download={name}>
      {name}
    </a>
  ) : (
    <span>
      {name} <Badge of="file" state={state} /> {reason && <small class="quiet">{t.documents.failures[reason]}</small>}
    </span>
  )

interface SendProps extends RecordProps {
  /** The document that the new one replaces. */
  supersedes?: Document
  /** The kind that is chosen at first. */
  first?: DocumentKind | undefined
}

/** Sends files and adds them to the record, or one that supersedes a document. */
function Send({ of, id, supersedes, first = 'OTHER', mayAdd }: SendProps & { mayAdd: boolean }) {
  const share = useSignal(0)
  const send = async (data: FormData) => {
    const files = data.getAll('file').filter((file): file is File => file instanceof File)
    const empty = files.find(({ size }) => size === 0)
    if (empty) throw new FieldProblem('file', empty.name === '' ? t.parts.noFile : t.parts.emptyFile)
    const kind = textOf(data, 'kind') as DocumentKind
    const add = []
    for (const [at, file] of files.entries()) {
      const uploadId = await upload(file, (sent) => {
        share.value = (at + sent) / files.length
      })
      add.push({ uploadId, kind, ...(supersedes && { supersedes: supersedes.id }) })
    }
    await patch(PATHS[of], id, { add })
    share.value = 0
  }
  const isReplacement = supersedes !== undefined
  return (
    <Action
      label={isReplacement ? t.documents.replace : t.documents.add}
      hint={isReplacement ? fill(t.documents.replaceHint, { name: supersedes.name }) : t.documents.addHint}
      when={mayAdd}
      onRun={send}
      form={{ pathOf: (field) => (field.startsWith('add.') ? 'file' : field) }}
    >
      <Field
        name="file"
        label={isReplacement ? t.parts.file : t.documents.files}
        type="file"
        isMultiple={!isReplacement}
        isFocused
      />
      <Field name="kind" label={t.documents.kind} value={supersedes?.kind ?? first} options={KINDS} />
      <progress aria-label={t.parts.progress} max={1} value={share.value} hidden={share.value === 0} />
    </Action>
  )
}

/** What a document is and who added it when, with what its organization may do with it. */
function Entry({ document, list, of, id, mayAdd, mayRemove }: EntryProps) {
  const { kind, size, orgId: addedBy, createdTime, supersededBy } = document
  const isOwn = addedBy === orgId.value
  const newer = list.data?.find((each) => each.id === supersededBy)
  return (
    <li>
      <span>
        <DocumentName document={document} />
        <br />
        <small class="quiet">
          {t.documentKinds[kind]}
          {size !== undefined && ` · ${bytes(size)}`} · <OrgName id={addedBy} /> · {time(createdTime)}
          {supersededBy && ` · ${fill(t.documents.supersededBy, { name: newer?.name ?? '…' })}`}
        </small>
        <span class="actions">
          <Send of={of} id={id} supersedes={document} mayAdd={mayAdd && isOwn && !supersededBy} />
          <Action
            label={t.ui.remove}
            hint={document.name}
            when={mayRemove && isOwn}
            isDangerous
            onRun={() => patch(PATHS[of], id, { remove: [document.id] })}
          />
        </span>
      </span>
    </li>
  )
}

interface EntryProps extends RecordProps, Readonly<{ mayAdd: boolean; mayRemove: boolean }> {
  document: Document
  list: List<Document>
}

interface Needs {
  kinds: readonly DocumentKind[]
  /** The organizations whose documents count. */
  orgIds: readonly string[]
}

/** Whether an order has a document of a kind that it needs before it is shipped. */
const isThere = (kind: DocumentKind, { orgIds }: Needs, documents: readonly Document[]) =>
  documents.some(
    (each) => each.kind === kind && each.state === 'READY' && !each.supersededBy && orgIds.includes(each.orgId),
  )

/** The kinds that an order needs before it is shipped, each with whether it is there. */
const Needed = ({ documents, ...needs }: Needs & { documents: readonly Document[] }) => (
  <ul class="marks" aria-label={t.documents.required}>
    {needs.kinds.map((kind) => {
      const isMet = isThere(kind, needs, documents)
      return (
        <li key={kind} class={isMet ? 'met' : 'missed'}>
          {t.documentKinds[kind]}: {isMet ? t.documents.present : t.documents.missing}
        </li>
      )
    })}
  </ul>
)

/** The documents of an RFQ, an offer, an order or a case. */
export function Documents({
  of,
  id,
  title = t.documents.title,
  mayAdd = false,
  mayRemove = mayAdd,
  required,
}: RecordProps & MayProps & { title?: string; required?: Needs | undefined }) {
  const list = useList(PATHS[of], { path: { id } })
  const missing = required?.kinds.find((kind) => !isThere(kind, required, list.data ?? []))
  return (
    <Section title={title} actions={<Send key={missing} of={of} id={id} first={missing} mayAdd={mayAdd} />}>
      {required && list.data && !list.hasMore && <Needed {...required} documents={list.data} />}
      <Shown read={list} lines={2}>
        {(documents) =>
          documents.length === 0 ? (
            <Empty>{t.documents.none}</Empty>
          ) : (
            <ul class="items">
              {documents.map((document) => (
                <Entry
                  key={document.id}
                  document={document}
                  list={list}
                  of={of}
                  id={id}
                  mayAdd={mayAdd}
                  mayRemove={mayRemove}
                />
              ))}
            </ul>
          )
        }
      </Shown>
      {list.hasMore && (
        <button type="button" class="more" onClick={list.showMore}>
          {t.ui.more}
        </button>
      )}
    </Section>
  )
}

/** The current documents of a record as links, one below the other. */
export function DocumentLinks({ of, id }: RecordProps) {
  const { data = [] } = useList(PATHS[of], { path: { id } })
  const current = data.filter(({ supersededBy }) => supersededBy === undefined)
  if (current.length === 0) return null
  return (
    <ul class="items" aria-label={t.documents.title}>
      {current.map((document) => (
        <li key={document.id}>
          <span>
            <DocumentName document={document} />
            <br />
            <small class="quiet">{t.documentKinds[document.kind]}</small>
          </span>
        </li>
      ))}
    </ul>
  )
}
