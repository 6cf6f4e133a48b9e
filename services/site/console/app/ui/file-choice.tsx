import { type Signal, signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { bytes } from '../format.ts'
import { fill, t } from '../texts.ts'
import { upload } from '../upload.ts'
import { DropZone } from './files.tsx'
import { Field, FieldProblem } from './form.tsx'

/** A file that a person has chosen, until it is added to a record. */
export interface Chosen<Kind extends string> {
  /** The name of its field. */
  name: string
  file: File
  kind: Signal<Kind>
  /** The share of the file that was sent. */
  share: Signal<number>
  /** Set once the file was sent, so that a second attempt does not send it again. */
  uploadId?: string
}

/** The files that a form adds. */
export interface FileChoice<Kind extends string> {
  chosen: Signal<readonly Chosen<Kind>[]>
  add: (files: readonly File[]) => void
}

/** `kindOf`: the kind of a file before another one is chosen; `taken` are those of the other files. */
export function useFileChoice<Kind extends string>(
  kindOf: (file: File, taken: ReadonlySet<Kind>) => Kind,
): FileChoice<Kind> {
  const chosen = useSignal<readonly Chosen<Kind>[]>([])
  const count = useRef(0)
  const add = (files: readonly File[]) => {
    const taken = new Set(chosen.value.map(({ kind }) => kind.value))
    const added = files.map((file) => {
      count.current += 1
      const kind = kindOf(file, taken)
      taken.add(kind)
      return { name: `chosen.${count.current}`, file, kind: signal(kind), share: signal(0) }
    })
    chosen.value = [...chosen.value, ...added]
  }
  return { chosen, add }
}

/** Sends a file, unless that was done. The id of its upload is the answer. */
export async function send(one: Chosen<string>): Promise<string> {
  if (one.file.size === 0) throw new FieldProblem(one.name, t.parts.emptyFile)
  one.uploadId ??= await upload(one.file, (share) => {
    one.share.value = share
  })
  return one.uploadId
}

/** The field of the file that the marketplace refuses to add, such as `add.0.uploadId` or `files.add.0.uploadId`. */
export function chosenFieldOf(path: string, { chosen }: FileChoice<string>): string {
  const at = /^(?:files\.)?add\.(\d+)/.exec(path)?.[1]
  const sent = chosen.value.filter(({ uploadId }) => uploadId !== undefined)
  return (at !== undefined && sent[Number(at)]?.name) || path
}

interface FileFieldsProps<Kind extends string> {
  choice: FileChoice<Kind>
  label: string
  kinds: readonly (readonly [kind: Kind, label: string])[]
  /** What follows from the kind of a file. */
  children?: (one: Chosen<Kind>) => ComponentChildren
}

/** A field for files with their kinds. */
export const FileFields = <Kind extends string>({
  choice: { chosen, add },
  label,
  kinds,
  children,
}: FileFieldsProps<Kind>) => (
  <>
    <DropZone name="file" label={label} hint={t.parts.dropHint} onFiles={add} />
    {chosen.value.length > 0 && (
      <ul class="items">
        {chosen.value.map((one) => (
          <li key={one.name} class="chosen">
            <div class="columns">
              <Field
                name={one.name}
                label={fill(t.parts.groupOf, { name: one.file.name })}
                text={one.kind as Signal<string>}
                options={kinds}
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
            {children?.(one)}
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
