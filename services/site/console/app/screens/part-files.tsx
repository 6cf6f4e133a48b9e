import { ApiError, type FileGroup, type Part, patch } from '../api.ts'
import { fill, t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { type Chosen, chosenFieldOf, FileFields, send, useFileChoice } from '../ui/file-choice.tsx'
import { FieldProblem } from '../ui/form.tsx'
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

/** Who will see a chosen file, which its group decides. */
const Readers = ({ part, chosen: { file, kind } }: { part: Part; chosen: Chosen<FileGroup> }) => (
  <>
    {kind.value === 'preview' && !file.type.startsWith('image/') && (
      <p class="hint" role="status">
        {fill(t.parts.noImage, { name: file.name })}
      </p>
    )}
    <p role="status">
      {fill(part.state === 'PUBLISHED' ? t.parts.seenAtOnce : t.parts.seenOncePublished, {
        readers: readersText(
          { group: kind.value },
          part.state === 'PUBLISHED' ? part.internal : isInternalAtFirst(part, true),
        ),
      })}
    </p>
  </>
)

/** Why a file could not be sent. */
const problemOf = (error: unknown): string =>
  error instanceof ApiError
    ? (error.detail ?? error.message)
    : error instanceof FieldProblem
      ? error.message
      : t.ui.unreachable

/** Sends files, one after the other, and adds those that arrived to the part at once; the others keep their problem. */
export function AddFiles({ part }: { part: Part }) {
  const choice = useFileChoice<FileGroup>(groupAtFirst)
  const { chosen } = choice
  const add = async () => {
    const files = chosen.value
    if (files.length === 0) throw new FieldProblem('file', t.parts.noFile)
    const problems: { field: string; message: string }[] = []
    for (const one of files) {
      await send(one).catch((error) => {
        one.share.value = 0
        problems.push({ field: one.name, message: problemOf(error) })
      })
    }
    const sent = files.filter(({ uploadId }) => uploadId !== undefined)
    if (sent.length > 0) {
      const body = { add: sent.map(({ uploadId = '', kind }) => ({ uploadId, group: kind.value })) }
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
      form={{ pathOf: (field) => chosenFieldOf(field, choice) }}
    >
      <FileFields choice={choice} label={t.parts.file} kinds={GROUPS}>
        {(one) => <Readers part={part} chosen={one} />}
      </FileFields>
    </Action>
  )
}
