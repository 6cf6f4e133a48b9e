import { useSignal } from '@preact/signals'
import { type Document, type DocumentKind, patch, type Shipment } from '../api.ts'
import { type List, useList } from '../data.ts'
import { bytes, date, pieces, time } from '../format.ts'
import { orgId } from '../me.ts'
import { OrgName } from '../names.tsx'
import { fill, t } from '../texts.ts'
import { underOwnName, upload } from '../upload.ts'
import { Action } from './dialog.tsx'
import { chosenFieldOf, type FileChoice, FileFields, send, useFileChoice } from './file-choice.tsx'
import { FilePreview } from './file-preview.tsx'
import { Field, FieldProblem, textOf } from './form.tsx'
import { ItemList } from './list.tsx'
import { Badge, Section } from './page.tsx'

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

const shipmentName = ({ shippedTime, quantity }: Shipment) =>
  fill(t.shipments.one, { day: date(shippedTime), count: pieces(quantity) })

const KINDS = Object.entries(t.documentKinds) as [DocumentKind, string][]

/** `first`: the kind of a file before another one is chosen. Of `missing` kinds, each file gets the next one. */
export const useDocumentChoice = (first: DocumentKind, missing: readonly DocumentKind[] = []) =>
  useFileChoice<DocumentKind>((_, taken) => missing.find((each) => !taken.has(each)) ?? first)

/** Sends the chosen files, one after the other. The answer is what adds them to a record. */
export async function sendDocuments({ chosen }: FileChoice<DocumentKind>) {
  const add = []
  for (const one of chosen.value) add.push({ uploadId: await send(one), kind: one.kind.value })
  return add
}

export const DocumentFields = ({ choice }: { choice: FileChoice<DocumentKind> }) => (
  <FileFields choice={choice} label={t.documents.files} kinds={KINDS} />
)

interface AddProps extends RecordProps {
  missing: readonly DocumentKind[]
  mayAdd: boolean
  shipments: readonly Shipment[]
}

/** Adds documents to the record, each with its kind. */
function Add({ of, id, missing, mayAdd, shipments }: AddProps) {
  const choice = useDocumentChoice(of === 'offer' ? 'QUOTE' : 'OTHER', missing)
  const add = async (data: FormData) => {
    if (choice.chosen.value.length === 0) throw new FieldProblem('file', t.parts.noFile)
    const shipmentId = textOf(data, 'shipment')
    const sent = await sendDocuments(choice)
    await patch(PATHS[of], id, {
      add: shipmentId ? sent.map((each) => ({ ...each, shipmentIds: [shipmentId] })) : sent,
    })
  }
  return (
    <Action
      label={t.documents.add}
      hint={t.documents.addHint}
      when={mayAdd}
      isWide
      onOpen={async () => {
        choice.chosen.value = []
      }}
      onRun={add}
      form={{ pathOf: (field) => chosenFieldOf(field, choice) }}
    >
      <DocumentFields choice={choice} />
      {shipments.length > 0 && (
        <Field
          name="shipment"
          label={t.documents.shipment}
          options={[['', t.documents.wholeOrder], ...shipments.map((each) => [each.id, shipmentName(each)] as const)]}
        />
      )}
    </Action>
  )
}

/** Sends a file and adds it as the document that supersedes another one. */
function Replace({ of, id, document, mayAdd }: RecordProps & { document: Document; mayAdd: boolean }) {
  const share = useSignal(0)
  const replace = async (data: FormData) => {
    const file = data.get('file')
    if (!(file instanceof File) || file.name === '') throw new FieldProblem('file', t.parts.noFile)
    if (file.size === 0) throw new FieldProblem('file', t.parts.emptyFile)
    const uploadId = await upload(file, (sent) => {
      share.value = sent
    })
    await patch(PATHS[of], id, {
      add: [{ uploadId, kind: textOf(data, 'kind') as DocumentKind, supersedes: document.id }],
    })
    share.value = 0
  }
  return (
    <Action
      label={t.documents.replace}
      hint={fill(t.documents.replaceHint, { name: document.name })}
      when={mayAdd}
      onRun={replace}
      form={{ pathOf: (field) => (field.startsWith('add.') ? 'file' : field) }}
    >
      <Field name="file" label={t.parts.file} type="file" isFocused />
      <Field name="kind" label={t.documents.kind} value={document.kind} options={KINDS} />
      <progress aria-label={t.parts.progress} max={1} value={share.value} hidden={share.value === 0} />
    </Action>
  )
}

/** What a document is and who added it when, with what its organization may do with it. */
function Entry({ document, list, of, id, mayAdd, mayRemove, shipments }: EntryProps) {
  const { kind, size, orgId: addedBy, createdTime, supersededBy, shipmentIds = [] } = document
  const sentWith = shipments.filter((each) => shipmentIds.includes(each.id))
  const isOwn = addedBy === orgId.value
  const newer = list.data?.find((each) => each.id === supersededBy)
  return (
    <li class="with-preview">
      <FilePreview file={document} />
      <span>
        <DocumentName document={document} />
        <br />
        <small class="quiet">
          {t.documentKinds[kind]}
          {size !== undefined && ` · ${bytes(size)}`} · <OrgName id={addedBy} /> · {time(createdTime)}
          {supersededBy && ` · ${fill(t.documents.supersededBy, { name: newer?.name ?? '…' })}`}
          {sentWith.map((each) => ` · ${shipmentName(each)}`).join('')}
        </small>
        <span class="actions">
          <Replace of={of} id={id} document={document} mayAdd={mayAdd && isOwn && !supersededBy} />
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
  shipments: readonly Shipment[]
  document: Document
  list: List<Document>
}

/** The documents that an order needs before it is shipped. */
export interface Needs {
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

/** The kinds that an order still lacks before it can be shipped. */
export function ShipmentNeeds({ id, needs }: { id: string; needs: Needs }) {
  const { data, hasMore } = useList(PATHS.order, { path: { id } })
  const missing = data && !hasMore ? needs.kinds.filter((kind) => !isThere(kind, needs, data)) : []
  if (missing.length === 0) return null
  const kinds = missing.map((kind) => t.documentKinds[kind]).join(', ')
  return <p class="hint">{fill(t.documents.missingForShipment, { kinds })}</p>
}

/** The documents of an RFQ, an offer, an order or a case. */
export function Documents({
  of,
  id,
  title = t.documents.title,
  mayAdd = false,
  mayRemove = mayAdd,
  required,
  shipments = [],
}: RecordProps & MayProps & { title?: string; required?: Needs | undefined; shipments?: readonly Shipment[] }) {
  const list = useList(PATHS[of], { path: { id } })
  const missing = required?.kinds.filter((kind) => !isThere(kind, required, list.data ?? [])) ?? []
  return (
    <Section title={title} actions={<Add of={of} id={id} missing={missing} mayAdd={mayAdd} shipments={shipments} />}>
      {required && list.data && !list.hasMore && <Needed {...required} documents={list.data} />}
      <ItemList list={list} empty={t.documents.none}>
        {(document) => (
          <Entry
            key={document.id}
            document={document}
            list={list}
            of={of}
            id={id}
            mayAdd={mayAdd}
            mayRemove={mayRemove}
            shipments={shipments}
          />
        )}
      </ItemList>
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
