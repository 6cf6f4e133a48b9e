import { type Signal, signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ApiError, type FileGroup, type Part, patch } from '../api.ts'
import { bytes } from '../format.ts'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { DropZone } from '../ui/files.tsx'
import { Field, FieldProblem } from '../ui/form.tsx'
import { upload } from '../upload.ts'
import { isInternalAtFirst, readersText } from './part-publication.tsx'

const GROUPS = Object.entries(t.files.groups) as [FileGroup, string][]

/** Formats of models and drawings, which are confidential at first. */
const CAD = new Set(
  (
    '3dm 3ds 3mf amf asm catdrawing catpart catproduct cgr dgn dwf dwg dxf easm edrw eprt f3d fcstd iam idw ifc iges ' +
    'igs ipt jt model nx obj par parasolid ply prt psm sat skp slddrw sldasm sldprt step stl stp stpz vda wrl x_b x_t'
  ).split(' '),
)

/** The group that a file has until another one is chosen. */
const groupAtFirst = ({ name }: File): FileGroup =>
  CAD.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ? 'ip' : 'document'

/** A file that a person has chosen, until it is added to the part. */
interface Chosen {
  /** The name of its field. */
  name: string
  file: File
  group: Signal<string>
  /** The share of the file that was sent. */
  share: Signal<number>
  /** Set once the file was sent, so that a second attempt does not send it again. */
  uploadId?: string
}

interface RowProps {
  part: Part
  chosen: Chosen
  onRemove: () => void
}

/** A chosen file with its group, which decides who sees it. */
const Row = ({ part, chosen: { name, file, group, share }, onRemove }: RowProps) => (
  <li class="chosen">
    <div class="columns">
      <Field name={name} label={fill(t.parts.groupOf, { name: file.name })} text={group} options={GROUPS} />
      <div class="end">
        <small class="quiet">{bytes(file.size)}</small>{' '}
        <button type="button" aria-label={fill(t.ui.removeOf, { name: file.name })} onClick={onRemove}>
          {t.ui.remove}
        </button>
      </div>
    </div>
    {group.value === 'preview' && !file.type.startsWith('image/') && (
      <p class="hint" role="status">
        {fill(t.parts.noImage, { name: file.name })}
      </p>
    )}
    <p role="status">
      {fill(part.state === 'PUBLISHED' ? t.parts.seenAtOnce : t.parts.seenOncePublished, {
        readers: readersText(
          { group: group.value as FileGroup },
          part.state === 'PUBLISHED' ? part.internal : isInternalAtFirst(part, true),
        ),
      })}
    </p>
    <progress
      aria-label={fill(t.parts.progressOf, { name: file.name })}
      max={1}
      value={share.value}
      hidden={share.value === 0}
    />
  </li>
)

/** Sends a file, unless that was done. The problem is the answer where it fails. */
async function send(chosen: Chosen): Promise<string | undefined> {
  if (chosen.uploadId) return undefined
  if (chosen.file.size === 0) return t.parts.emptyFile
  try {
    chosen.uploadId = await upload(chosen.file, (share) => {
      chosen.share.value = share
    })
    return undefined
  } catch (error) {
    chosen.share.value = 0
    if (error instanceof FieldProblem) return error.message
    return error instanceof ApiError ? (error.detail ?? error.message) : t.ui.unreachable
  }
}

/** Sends files, one after the other, and adds those that arrived to the part at once; the others keep their problem. */
export function AddFiles({ part }: { part: Part }) {
  const chosen = useSignal<readonly Chosen[]>([])
  const count = useRef(0)
  const choose = (files: readonly File[]) => {
    const added = files.map((file) => {
      count.current += 1
      return { name: `chosen.${count.current}`, file, group: signal<string>(groupAtFirst(file)), share: signal(0) }
    })
    chosen.value = [...chosen.value, ...added]
  }
  const drop = (one: Chosen) => {
    chosen.value = chosen.value.filter((other) => other !== one)
  }
  const add = async () => {
    const files = chosen.value
    if (files.length === 0) throw new FieldProblem('file', t.parts.noFile)
    const problems: { field: string; message: string }[] = []
    for (const one of files) {
      const message = await send(one)
      if (message !== undefined) problems.push({ field: one.name, message })
    }
    const sent = files.filter(({ uploadId }) => uploadId !== undefined)
    if (sent.length > 0) {
      const body = { add: sent.map(({ uploadId = '', group }) => ({ uploadId, group: group.value as FileGroup })) }
      await patch('/v1/parts/{id}/files', part.id, body)
      chosen.value = files.filter((one) => !sent.includes(one))
    }
    const [first, ...others] = problems
    if (first) throw new FieldProblem(first.field, first.message, ...others)
  }
  return (
    <Action
      label={t.parts.addFile}
      hint={t.parts.addFileHint}
      isWide
      onOpen={async () => {
        chosen.value = []
      }}
      onRun={add}
      form={{ pathOf: (field) => fieldOf(field, chosen.value) }}
    >
      <DropZone name="file" label={t.parts.file} hint={t.parts.dropHint} onFiles={choose} />
      {chosen.value.length > 0 && (
        <ul class="items">
          {chosen.value.map((one) => (
            <Row key={one.name} part={part} chosen={one} onRemove={() => drop(one)} />
          ))}
        </ul>
      )}
    </Action>
  )
}

/** The field of the file that the marketplace refuses to add, such as `add.0.uploadId`. */
function fieldOf(path: string, chosen: readonly Chosen[]): string {
  const at = /^add\.(\d+)/.exec(path)?.[1]
  const sent = chosen.filter(({ uploadId }) => uploadId !== undefined)
  return (at !== undefined && sent[Number(at)]?.name) || path
}
