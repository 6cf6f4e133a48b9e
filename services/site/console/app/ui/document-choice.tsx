import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { DocumentKind } from '../api.ts'
import { bytes } from '../format.ts'
import { fill, t } from '../texts.ts'
import { upload } from '../upload.ts'
import { DropZone } from './files.tsx'
import { Field, FieldProblem } from './form.tsx'

export const KINDS = Object.entries(t.documentKinds) as [DocumentKind, string][]

/** A file that a person has chosen, until it is added as a document. */
interface Chosen {
  /** The name of its field. */
  name: string
  file: File
  kind: Signal<DocumentKind>
  /** The share of the file that was sent. */
  share: Signal<number>
  /** Set once the file was sent, so that a second attempt does not send it again. */
  uploadId?: string
}

/** The files that a form adds as documents. */
interface DocumentChoice {
  chosen: Signal<readonly Chosen[]>
  add: (files: readonly File[]) => void
}

/**
 * `first`: the kind of a file before another one is chosen. `missing`: kinds that are needed, of which each file gets
 * the next one.
 */
export function useDocumentChoice(
  first: DocumentKind = 'OTHER',
  missing: readonly DocumentKind[] = [],
): DocumentChoice {
  const chosen = useSignal<readonly Chosen[]>([])
  const count = useRef(0)
  const add = (files: readonly File[]) => {
    const taken = new Set(chosen.value.map(({ kind }) => kind.value))
    const added = files.map((file) => {
      count.current += 1
      const kind = missing.find((each) => !taken.has(each)) ?? first
      taken.add(kind)
      return { name: `chosen.${count.current}`, file, kind: signal(kind), share: signal(0) }
    })
    chosen.value = [...chosen.value, ...added]
  }
  return { chosen, add }
}

/** Sends the chosen files, one after the other. The answer is what adds them to a record. */
export async function sendDocuments({ chosen }: DocumentChoice): Promise<{ uploadId: string; kind: DocumentKind }[]> {
  const add = []
  for (const one of chosen.value) {
    if (one.file.size === 0) throw new FieldProblem(one.name, t.parts.emptyFile)
    one.uploadId ??= await upload(one.file, (share) => {
      one.share.value = share
    })
    add.push({ uploadId: one.uploadId, kind: one.kind.value })
  }
  return add
}

/** The field of the file that the marketplace refuses to add, such as `add.0.uploadId` or `files.add.0.uploadId`. */
export function documentFieldOf(path: string, { chosen }: DocumentChoice): string {
  const at = /^(?:files\.)?add\.(\d+)/.exec(path)?.[1]
  return (at !== undefined && chosen.value[Number(at)]?.name) || path
}

/** A field for files, each of which has a kind. */
export function DocumentFields({ choice: { chosen, add } }: { choice: DocumentChoice }) {
  return (
    <>
      <DropZone name="file" label={t.documents.files} hint={t.parts.dropHint} onFiles={add} />
      {chosen.value.length > 0 && (
        <ul class="items">
          {chosen.value.map((one) => (
            <li key={one.name} class="chosen">
              <div class="columns">
                <Field
                  name={one.name}
                  label={fill(t.parts.groupOf, { name: one.file.name })}
                  text={one.kind as Signal<string>}
                  options={KINDS}
                />
                <div class="end">
                  <small class="quiet">{bytes(one.file.size)}</small>{' '}
                  <button
                    type="button"
                    aria-label={fill(t.ui.removeOf, { name: one.file.name })}
                    onClick={() => {
                      chosen.value = chosen.value.filter((other) => other !== one)
                    }}
                  >
                    {t.ui.remove}
                  </button>
                </div>
              </div>
              <progress
                aria-label={fill(t.parts.progressOf, { name: one.file.name })}
                max={1}
                value={one.share.value}
                hidden={one.share.value === 0}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
