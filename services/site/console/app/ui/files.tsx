import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { ApiError, type File as FileRecord } from '../api.ts'
import { type Read, useRecord } from '../data.ts'
import { bytes } from '../format.ts'
import { fill, t } from '../texts.ts'
import { underOwnName } from '../upload.ts'
import { FilePreview } from './file-preview.tsx'
import { FieldMessage, useFieldError } from './form.tsx'
import { markHalfFilled } from './half-filled.ts'
import { Badge, Section } from './page.tsx'
import { Empty, Shown } from './states.tsx'

interface PartFilesProps {
  partId: string
  /** The pinned revision that an RFQ or an order names. */
  revision?: number | undefined
  /** What the owner may do with a file. */
  action?: false | ((file: FileRecord) => ComponentChildren)
  /** Who can read a file, where the owner is told. */
  readers?: (file: FileRecord) => string
  /** What to say where the organization may no longer read the files. */
  ended?: string
}

const isNotFound = ({ data, error }: Read<unknown>) =>
  data === undefined && error instanceof ApiError && error.status === 404

/** The files of a part, or of a revision of it that the organization may still read. */
export function useFiles({ partId, revision }: PartFilesProps) {
  const pinned = useRecord(revision === undefined ? undefined : '/flows/v1/parts/{id}/revisions/{revision}/files', {
    path: { id: partId, revision: String(revision) },
  })
  // A failure of the network, or the end of the session, leaves what was read.
  const isCurrent = revision === undefined || (pinned.error !== undefined && pinned.data === undefined)
  const current = useRecord(isCurrent ? '/v1/parts/{id}/files' : undefined, { path: { id: partId } })
  return isCurrent ? current : pinned
}

/** The files of a part with their downloads, and its pictures. */
export function PartFiles({ action, ended, readers, ...of }: PartFilesProps) {
  const read = useFiles(of)
  if (ended !== undefined && isNotFound(read)) {
    return (
      <Section title={t.files.title}>
        <p class="hint">{ended}</p>
      </Section>
    )
  }
  return (
    <Section title={t.files.title}>
      <Shown read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty />
          ) : (
            <ul class="items">
              {items.map((file) => {
                const { id, name, group, state, size, downloadUrl } = file
                return (
                  <li key={id} class="with-preview">
                    <FilePreview file={file} />
                    {downloadUrl ? (
                      <a href={underOwnName(downloadUrl)} download={name}>
                        {name}
                      </a>
                    ) : (
                      <span>
                        {name} <Badge of="file" state={state} />
                      </span>
                    )}
                    <small class="quiet">
                      {t.files.groups[group]}
                      {size !== undefined && ` · ${bytes(size)}`}
                    </small>
                    {action && <span class="actions whole">{action(file)}</span>}
                    {readers && (
                      <small class="quiet readers">{fill(t.parts.visibleTo, { readers: readers(file) })}</small>
                    )}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Shown>
    </Section>
  )
}

interface DropZoneProps {
  name: string
  label: string
  hint: string
  onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped, or chosen with its field. */
export function DropZone({ name, label, hint, onFiles }: DropZoneProps) {
  const id = useId()
  const isOver = useSignal(false)
  const error = useFieldError(name)
  const zone = useRef<HTMLFieldSetElement>(null)
  const take = (files: FileList | null | undefined) => {
    if (!files || files.length === 0) return
    const shown = zone.current?.closest('form')
    if (shown) markHalfFilled(shown)
    onFiles([...files])
  }
  return (
    <fieldset
      ref={zone}
      class={isOver.value ? 'field drop over-it' : 'field drop'}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => {
        isOver.value = false
      }}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        take(event.dataTransfer?.files)
      }}
    >
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="file"
        multiple
        aria-describedby={`${id}-hint${error ? ` ${id}-error` : ''}`}
        aria-invalid={error ? 'true' : undefined}
        onChange={({ currentTarget }) => {
          take(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      <small id={`${id}-hint`} class="quiet">
        {hint}
      </small>
      <FieldMessage id={id} error={error} />
    </fieldset>
  )
}
