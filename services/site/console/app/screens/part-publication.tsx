import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { PART } from '../../../../../proto/states/parts.ts'
import { at, command, type File as FileRecord, ifMatch, market, type Part } from '../api.ts'
import { useRecord } from '../data.ts'
import { mayUse, permits } from '../me.ts'
import { t } from '../texts.ts'
import { Action } from '../ui/dialog.tsx'
import { Field } from '../ui/form.tsx'
import { Shown } from '../ui/states.tsx'
import { Switch } from '../ui/switch.tsx'

/** A part with files is shown only to invited manufacturers until its owner decides otherwise. */
export const isInternalAtFirst = ({ internal, publishedTime }: Part, hasFiles: boolean) =>
  internal || (publishedTime === undefined && hasFiles)

type Readers = keyof Omit<typeof t.parts.visible, 'none'>

/** Who reads a file of a published part. */
function readersOf(file: Pick<FileRecord, 'group'> & Partial<FileRecord>, isInternal: boolean): Readers {
  const { group, public: isPublic } = file
  if (group === 'ip') return 'released'
  if (group === 'development' || group === 'partDevelopment') return 'own'
  if (isPublic) return 'link'
  return isInternal ? 'invited' : 'all'
}

export const readersText = (file: Pick<FileRecord, 'group'>, isInternal: boolean) =>
  t.parts.visible[readersOf(file, isInternal)]

/** Files by name, under the organizations that will see them. */
function Visibility({ files, isInternal }: { files: readonly NamedFile[]; isInternal: boolean }) {
  if (files.length === 0) return <p class="quiet">{t.parts.visible.none}</p>
  return <VisibilityOf files={files.map((file) => ({ file, isInternal }))} />
}

interface NamedFile extends FileRecord {
  /** The part that it belongs to, where there are several. */
  of?: string
}

export function VisibilityOf({ files }: { files: readonly { file: NamedFile; isInternal: boolean }[] }) {
  const byReaders = Map.groupBy(files, ({ file, isInternal }) => readersOf(file, isInternal))
  const readers = (Object.keys(t.parts.visible) as (Readers | 'none')[]).filter((each) => each !== 'none')
  return (
    <section aria-label={t.parts.visibility}>
      <dl class="facts">
        {readers.map((each) =>
          byReaders.has(each) ? (
            <div key={each}>
              <dt>{t.parts.visible[each]}</dt>
              {byReaders.get(each)?.map(({ file: { id, name, group, of } }) => (
                <dd key={id}>
                  {of !== undefined && `${of}: `}
                  {name} <small class="quiet">{t.files.groups[group]}</small>
                </dd>
              ))}
            </div>
          ) : null,
        )}
      </dl>
    </section>
  )
}

interface FieldsProps {
  part: Part
  /** Keeps the record as the person sees it. */
  onSeen: (record: Promise<{ response: Response }>) => void
}

/** Whether only invited manufacturers see the part, and what follows for each of its files. */
function PublicationFields({ part, onSeen }: FieldsProps) {
  const read = useRecord('/v1/parts/{id}/files', { path: { id: part.id } })
  const chosen = useSignal<boolean | undefined>(undefined)
  useEffect(() => {
    const record = market.GET('/v1/parts/{id}', at(part.id))
    record.catch(() => undefined)
    onSeen(record)
  }, [])
  return (
    <Shown read={read}>
      {({ items }) => {
        const isInternal = chosen.value ?? isInternalAtFirst(part, items.length > 0)
        return (
          <>
            {permits('PATCH /flows/v1/parts/{id}') && (
              <Switch
                name="internal"
                label={t.parts.internal}
                hint={t.parts.internalHint}
                isOn={isInternal}
                onChange={(isOn) => {
                  chosen.value = isOn
                }}
              />
            )}
            <Visibility files={items} isInternal={permits('PATCH /flows/v1/parts/{id}') ? isInternal : part.internal} />
          </>
        )
      }}
    </Shown>
  )
}

/** The switch in the form of a part, whose files decide what it shows at first. */
export function InternalField({ part }: { part: Part }) {
  const read = useRecord('/v1/parts/{id}/files', { path: { id: part.id } })
  return (
    <Shown read={read} lines={1}>
      {({ items }) => <Internal value={isInternalAtFirst(part, items.length > 0)} />}
    </Shown>
  )
}

export const Internal = ({ value = false }: { value?: boolean }) => (
  <Field name="internal" label={t.parts.internal} hint={t.parts.internalHint} type="checkbox" value={String(value)} />
)

export interface SeenPart {
  part: Part
  response: Response
}

/** Publishes a part as the person saw it, unless it has changed since, for the organizations that the person chose. */
export async function publishSeen({ part, response }: SeenPart, internal: boolean, verb: 'publish' | 'unarchive') {
  const { id } = part
  let headers = ifMatch(response)
  if (internal !== part.internal) {
    const changed = await market.PATCH('/flows/v1/parts/{id}', { ...at(id), headers, body: { internal } })
    headers = ifMatch(changed.response)
  }
  return verb === 'publish'
    ? market.POST('/flows/v1/parts/{id}/publish', { ...at(id), headers })
    : market.POST('/flows/v1/parts/{id}/unarchive', at(id))
}

/** Publishes the part as the person saw it: with these files, for these organizations. */
export function Publish({ part, verb }: { part: Part; verb: 'publish' | 'unarchive' }) {
  const { id } = part
  const seen = useRef<Promise<{ response: Response }> | undefined>(undefined)
  const run = async (data: FormData) => {
    const internal = permits('PATCH /flows/v1/parts/{id}') ? data.has('internal') : part.internal
    await command(async () => {
      const { response } = await (seen.current ?? market.GET('/v1/parts/{id}', at(id)))
      return publishSeen({ part, response }, internal, verb)
    })
  }
  return (
    <Action
      label={t.parts.verbs[verb]}
      hint={t.parts.hints[verb]}
      when={mayUse(PART, verb, part)}
      isPrimary
      onRun={run}
    >
      <PublicationFields
        part={part}
        onSeen={(record) => {
          seen.current = record
        }}
      />
    </Action>
  )
}
