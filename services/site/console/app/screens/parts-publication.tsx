import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { at, command, type File as FileRecord, market, type Part } from '../api.ts'
import { number } from '../format.ts'
import { inParallel } from '../in-parallel.ts'
import { permits } from '../me.ts'
import { counted, fill, t } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Form, reasonOfRefusal } from '../ui/form.tsx'
import { Switch } from '../ui/switch.tsx'
import { isInternalAtFirst, publishSeen, type SeenPart, VisibilityOf } from './part-publication.tsx'

/** Parts that are published at once. */
const MAX_PARTS = 100

type Chosen = Signal<ReadonlySet<string>>

const nameOf = ({ title, serialNumber }: Part) => title ?? serialNumber

/** The checkbox of a draft. */
export const Choose = ({ part, chosen }: { part: Part; chosen: Chosen }) => (
  <input
    type="checkbox"
    class="choose"
    aria-label={fill(t.parts.choose, { part: nameOf(part) })}
    checked={chosen.value.has(part.id)}
    onChange={({ currentTarget }) => {
      const others = [...chosen.value].filter((id) => id !== part.id)
      chosen.value = new Set(currentTarget.checked ? [...others, part.id] : others)
    }}
  />
)

/** A draft as it is when the dialog opens. */
interface Seen extends SeenPart {
  files: readonly FileRecord[]
}

async function readDraft({ id }: Part): Promise<Seen> {
  const { data: part, response } = await market.GET('/v1/parts/{id}', at(id))
  const { data } = await market.GET('/v1/parts/{id}/files', at(id))
  return { part, response, files: data.items }
}

interface Refused {
  part: Part
  reason: string
}

/** Chooses drafts among those that are shown, and publishes them. */
export function PublishChosen({ drafts, chosen }: { drafts: readonly Part[]; chosen: Chosen }) {
  const seen = useSignal<readonly Seen[] | undefined>(undefined)
  const told = useSignal('')
  const isReading = useSignal(false)
  const failure = useSignal('')
  const parts = drafts.filter(({ id }) => chosen.value.has(id))
  const open = async () => {
    isReading.value = true
    told.value = ''
    failure.value = ''
    try {
      seen.value = await inParallel(parts, readDraft)
    } catch (error) {
      failure.value = reasonOfRefusal(error)
    }
    isReading.value = false
  }
  return (
    <div class="actions choice">
      {drafts.length > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={parts.length === drafts.length}
            onChange={({ currentTarget }) => {
              chosen.value = new Set(currentTarget.checked ? drafts.map(({ id }) => id) : [])
            }}
          />
          {fill(t.parts.chooseAll, { count: number(drafts.length) })}
        </label>
      )}
      {parts.length > MAX_PARTS && <span class="hint">{fill(t.parts.tooManyChosen, { most: number(MAX_PARTS) })}</span>}
      {parts.length > 0 && parts.length <= MAX_PARTS && (
        <button type="button" class="primary" disabled={isReading.value} onClick={open}>
          {labelFor(parts.length)}
        </button>
      )}
      <span role="status">{told.value}</span>
      {failure.value && (
        <span class="error" role="alert">
          {failure.value}
        </span>
      )}
      {seen.value && (
        <Publication
          seen={seen.value}
          onPublished={(count) => {
            told.value = counted(t.parts.publishedCount, count, number(count))
            chosen.value = new Set()
          }}
          onClose={() => {
            seen.value = undefined
          }}
        />
      )}
    </div>
  )
}

const labelFor = (count: number) => counted(t.parts.publishChosen, count, number(count))

interface PublicationProps {
  seen: readonly Seen[]
  onPublished: (count: number) => void
  onClose: () => void
}

/** Says who will see the files of the drafts, publishes each, and tells which were refused. */
function Publication({ seen, onPublished, onClose }: PublicationProps) {
  const mayPatch = permits('PATCH /flows/v1/parts/{id}')
  const isInternal = useSignal(seen.some(({ part, files }) => isInternalAtFirst(part, files.length > 0)))
  const refused = useSignal<readonly Refused[] | undefined>(undefined)
  const done = useSignal(0)
  const label = useRef(labelFor(seen.length)).current
  const internalOf = ({ internal }: Part) => (mayPatch ? isInternal.value : internal)
  const publish = async (draft: Seen): Promise<Refused[]> => {
    try {
      await publishSeen(draft, internalOf(draft.part), 'publish')
      return []
    } catch (error) {
      return [{ part: draft.part, reason: reasonOfRefusal(error) }]
    } finally {
      done.value += 1
    }
  }
  const run = async () => {
    const problems = await command(async () => ({ data: (await inParallel(seen, publish)).flat() }))
    onPublished(seen.length - problems.length)
    if (problems.length === 0) onClose()
    else refused.value = problems
  }
  const close = (
    <button type="button" onClick={onClose}>
      {refused.value ? t.ui.close : t.ui.cancel}
    </button>
  )
  const withoutFiles = seen.flatMap(({ part, files }) => (files.length === 0 ? nameOf(part) : []))
  return (
    <Dialog title={label} isWide onClose={onClose}>
      {refused.value ? (
        <Refusals refused={refused.value} all={seen.length}>
          {close}
        </Refusals>
      ) : (
        <Form onSend={run} submit={label} buttons={close} isForgettable>
          <p class="quiet">{t.parts.publishChosenHint}</p>
          {mayPatch && (
            <Switch
              name="internal"
              label={t.parts.internal}
              hint={`${t.parts.forAllChosen} ${t.parts.internalHint}`}
              isOn={isInternal.value}
              onChange={(isOn) => {
                isInternal.value = isOn
              }}
            />
          )}
          {withoutFiles.length < seen.length && (
            <VisibilityOf
              files={seen.flatMap(({ part, files }) =>
                files.map((file) => ({ file: { ...file, of: nameOf(part) }, isInternal: internalOf(part) })),
              )}
            />
          )}
          {withoutFiles.length > 0 && (
            <div class="quiet">
              {t.parts.withoutFiles}
              <ul>
                {withoutFiles.map((name, at) => (
                  <li key={`${at} ${name}`}>{name}</li>
                ))}
              </ul>
            </div>
          )}
          <p role="status" class="quiet">
            {done.value > 0 && fill(t.parts.doneOf, { count: number(done.value), all: number(seen.length) })}
          </p>
        </Form>
      )}
    </Dialog>
  )
}

interface RefusalsProps {
  refused: readonly Refused[]
  all: number
  children: ComponentChildren
}

/** The drafts that were refused, each with the reason. It takes the place of the form, so the focus moves to it. */
function Refusals({ refused, all, children }: RefusalsProps) {
  const section = useRef<HTMLElement>(null)
  useLayoutEffect(() => section.current?.focus(), [])
  return (
    <section ref={section} class="stack" tabIndex={-1} aria-label={t.parts.refused}>
      <p role="status">{fill(t.parts.publishedOf, { count: number(all - refused.length), all: number(all) })}</p>
      <h3>{t.parts.refused}</h3>
      <ul class="items">
        {refused.map(({ part, reason }) => (
          <li key={part.id}>
            <a href={`/console/parts/${part.id}`}>{nameOf(part)}</a>
            <span class="error">{reason}</span>
          </li>
        ))}
      </ul>
      <div class="buttons">{children}</div>
    </section>
  )
}
