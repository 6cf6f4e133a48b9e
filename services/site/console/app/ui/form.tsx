import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals'
import { type ComponentChildren, createContext, type TargetedEvent } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { decimalText } from '../amounts.ts'
import { ApiError, type FieldError } from '../api.ts'
import { decimalSign } from '../format.ts'
import { session } from '../session.ts'
import { fieldName, problemText, t } from '../texts.ts'
import { markHalfFilled, unmarkHalfFilled } from './half-filled.ts'

/** The messages by field path, and the fields that show theirs; the form shows the others. */
interface FormState {
  errors: ReadonlySignal<Readonly<Record<string, string>>>
  fields: Set<string>
  /** The fields that may be empty. */
  optional: Set<string>
}
const FormContext = createContext<FormState | undefined>(undefined)

/** The message for a field, which shows it itself. */
export function useFieldError(name: string, isOptional = false): string | undefined {
  const form = useContext(FormContext)
  useEffect(() => {
    form?.fields.add(name)
    if (isOptional) form?.optional.add(name)
    return () => {
      form?.fields.delete(name)
      form?.optional.delete(name)
    }
  }, [form, name, isOptional])
  return form?.errors.value[name]
}

/** The message for the field of an id, which is described by it. */
export const FieldMessage = ({ id, error }: { id: string; error: string | undefined }) =>
  error ? (
    <small id={`${id}-error`} class="error">
      {error}
    </small>
  ) : null

/** What the console itself misses in a field, in words of its language. */
export class FieldProblem extends Error {
  readonly fields: readonly FieldError[]

  constructor(field: string, message: string, ...others: readonly FieldError[]) {
    super(message)
    this.fields = [{ field, message }, ...others]
  }
}

/** A record that is no longer as it was shown. */
export class Changed extends Error {}

/** Whether a text, a select or a file is empty. An unticked box is an answer, and dropped files are in no input. */
const isEmpty = (control: unknown) =>
  (control instanceof HTMLInputElement && control.type !== 'checkbox' && !control.multiple && control.value === '') ||
  ((control instanceof HTMLSelectElement || control instanceof HTMLTextAreaElement) && control.value === '')

/** What a problem of a field says where the field is not shown. */
const namedProblem = ({ field, message }: FieldError) =>
  [fieldName(field), problemText(message)].filter(Boolean).join(': ')

/** Why something was refused, outside its form. */
export const reasonOfRefusal = (error: unknown): string =>
  (error instanceof ApiError && error.fields.map(namedProblem).join('; ')) || sentenceOf(error)

/** A sentence for what was refused. The end of the session has a dialog of its own. */
function sentenceOf(error: unknown): string {
  if (error instanceof Changed) return t.ui.changedMeanwhile
  if (!(error instanceof ApiError)) return t.ui.unreachable
  if (error.status === 403) return t.ui.noPermission
  if (error.status === 412) return t.ui.changedMeanwhile
  return problemText(error.detail ?? error.message)
}

export interface FormProps {
  /** Sends the form. A refusal is shown at its fields, and the text stays. */
  onSend: (data: FormData) => Promise<unknown>
  /**
   * What the person confirms in place of the fields before the form is sent. Without a result it is sent immediately.
   */
  review?: (data: FormData) => Promise<ComponentChildren>
  submit: string
  /** More buttons beside that which sends. */
  buttons?: ComponentChildren
  tone?: 'primary' | 'danger' | ''
  /** The name of the field for a field path of the API, where they differ. */
  pathOf?: (field: string) => string
  /** Why the form cannot be sent as it is, which is shown beside the button. */
  blockedBy?: string | undefined
  /** Whether text that is not sent may be lost without a question. */
  isForgettable?: boolean
  children?: ComponentChildren
}

export function Form({
  onSend,
  review,
  submit,
  buttons,
  tone = 'primary',
  pathOf = (field) => field,
  blockedBy,
  isForgettable = false,
  children,
}: FormProps) {
  const errors = useSignal<Readonly<Record<string, string>>>({})
  const failure = useSignal<{ sentence: string; requestId: string | undefined } | undefined>(undefined)
  const isBusy = useSignal(false)
  const reviewed = useSignal<{ data: FormData; shown: ComponentChildren } | undefined>(undefined)
  const form = useRef<HTMLFormElement>(null)
  const state = useMemo<FormState>(() => ({ errors, fields: new Set(), optional: new Set() }), [errors])

  useEffect(() => {
    const shown = form.current
    return () => shown && unmarkHalfFilled(shown)
  }, [])
  // A field without a name, such as a search in the form, is not sent.
  const typed = ({ target, currentTarget }: TargetedEvent<HTMLFormElement>) => {
    if (!isForgettable && (target as HTMLInputElement | null)?.name) markHalfFilled(currentTarget)
  }

  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy.value || !form.current || (blockedBy && !reviewed.value)) return
    const confirmed = reviewed.value?.data
    const data = confirmed ?? new FormData(form.current, event.submitter)
    isBusy.value = true
    errors.value = {}
    failure.value = undefined
    try {
      const shown = !confirmed && (await review?.(data))
      if (!shown) {
        await onSend(data)
        if (form.current) unmarkHalfFilled(form.current)
      }
      reviewed.value = shown ? { data, shown } : undefined
    } catch (error) {
      reviewed.value = undefined
      if (session.value !== 'ended') show(error)
    } finally {
      isBusy.value = false
    }
  }
  const show = (error: unknown) => {
    const { requestId, status = 0 } = error instanceof ApiError ? error : {}
    const fields = error instanceof ApiError || error instanceof FieldProblem ? error.fields : []
    const isMissing = (name: string) => !state.optional.has(name) && isEmpty(form.current?.elements.namedItem(name))
    const others: string[] = []
    const messages: Record<string, string> = {}
    for (const problem of fields) {
      const { field, message } = problem
      const path = pathOf(field)
      const isAt = (name: string) => name === path || name.startsWith(`${path}.`) || path.startsWith(`${name}.`)
      const shown = [...state.fields].find(isAt)
      if (shown) messages[shown] = isMissing(shown) ? t.ui.missing : problemText(message)
      else others.push(namedProblem(problem))
    }
    errors.value = messages
    const isShownAtFields = fields.length > 0 && others.length === 0
    const sentence = others.length > 0 ? others.join('; ') : isShownAtFields ? '' : sentenceOf(error)
    failure.value = { sentence, requestId: status >= 500 ? requestId : undefined }
    const before = document.activeElement
    requestAnimationFrame(() => {
      // A person who types elsewhere by now keeps the focus.
      if (![before, document.body].includes(document.activeElement as HTMLElement)) return
      const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true], .failure')
      const folded = wrong?.closest('details')
      if (folded) folded.open = true
      wrong?.focus()
    })
  }
  return (
    <FormContext.Provider value={state}>
      <form ref={form} onSubmit={send} onInput={typed} noValidate>
        <div class="fields" hidden={reviewed.value !== undefined}>
          {children}
        </div>
        {reviewed.value && <Review>{reviewed.value.shown}</Review>}
        {failure.value?.sentence && (
          <p class="failure" role="alert" tabIndex={-1}>
            {failure.value.sentence}
            {failure.value.requestId && (
              <small>
                {t.ui.requestId} {failure.value.requestId}
              </small>
            )}
          </p>
        )}
        {/* It is in the page before it has a text, so that screen readers tell the text. */}
        <p class="hint" role="status" hidden={!blockedBy || reviewed.value !== undefined}>
          {blockedBy}
        </p>
        <div class="buttons">
          {reviewed.value ? (
            // Keys, because a button that became another one during its click would act as that one.
            <>
              <button key="confirm" type="submit" class="primary" disabled={isBusy.value}>
                {t.ui.confirm}
              </button>
              <button
                key="back"
                type="button"
                onClick={() => {
                  reviewed.value = undefined
                }}
              >
                {t.ui.back}
              </button>
            </>
          ) : (
            <>
              <button key="submit" type="submit" class={tone} disabled={isBusy.value || blockedBy !== undefined}>
                {submit}
              </button>
              {buttons}
            </>
          )}
        </div>
      </form>
    </FormContext.Provider>
  )
}

/** Takes the place of the fields, so the focus moves to it. */
function Review({ children }: { children: ComponentChildren }) {
  const section = useRef<HTMLElement>(null)
  useLayoutEffect(() => section.current?.focus(), [])
  return (
    <section ref={section} class="review" aria-label={t.ui.review} tabIndex={-1}>
      <h3>{t.ui.review}</h3>
      {children}
    </section>
  )
}

interface FieldProps {
  /** The field path of the API, such as `priceBreaks.0.minQuantity`. */
  name: string
  label: string
  hint?: string
  /** Shown at first; what is typed afterwards belongs to the form. */
  value?: string | undefined
  /** Keeps the text where the form computes with it. */
  text?: Signal<string>
  type?: 'text' | 'email' | 'password' | 'number' | 'datetime-local' | 'date' | 'url' | 'tel' | 'checkbox' | 'file'
  autocomplete?: string
  options?: readonly (readonly [value: string, label: string])[]
  rows?: number
  isOptional?: boolean
  isFocused?: boolean
  /** What the form itself finds wrong while it is typed. */
  problem?: string | undefined
  /** Several files can be chosen. */
  isMultiple?: boolean
}

/** A labelled input, with the message of the API for its field. */
export function Field({
  name,
  label,
  hint,
  value,
  text,
  type = 'text',
  options,
  rows,
  autocomplete,
  problem,
  ...is
}: FieldProps) {
  const id = useId()
  const refusal = useFieldError(name, is.isOptional)
  const first = useRef(text?.peek() ?? value ?? '').current
  const input = useRef<HTMLElement>(null)
  // At once, because a later focus would take what is typed into another field. A dialog that opens focuses the field
  // that has the attribute.
  useLayoutEffect(() => {
    if (is.isFocused) input.current?.focus()
  }, [])
  const error = problem ?? refusal
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const common = {
    id,
    name,
    autofocus: is.isFocused,
    'aria-invalid': error ? ('true' as const) : undefined,
    'aria-describedby': describedBy || undefined,
    onInput:
      text &&
      ((event: Event) => {
        text.value = (event.currentTarget as HTMLInputElement).value
      }),
  }
  return (
    <div class={type === 'checkbox' ? 'field check' : 'field'}>
      <label for={id}>
        {label} {is.isOptional && <small class="aside">{t.ui.optional}</small>}
      </label>
      {options ? (
        <select {...common} ref={input as never} defaultValue={first}>
          {options.map(([option, shown]) => (
            <option key={option} value={option} selected={option === first}>
              {shown}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...common} ref={input as never} rows={rows} defaultValue={first} />
      ) : (
        <input
          {...common}
          {...({ type: type === 'number' ? 'text' : type } as object)}
          ref={input as never}
          inputMode={type === 'number' ? 'decimal' : undefined}
          autocomplete={autocomplete ?? 'off'}
          multiple={is.isMultiple}
          {...(type === 'checkbox' ? { defaultChecked: first === 'true' } : { defaultValue: first })}
        />
      )}
      {hint && (
        <small id={`${id}-hint`} class="quiet">
          {hint}
        </small>
      )}
      <FieldMessage id={id} error={error} />
    </div>
  )
}

/** The text of a field; undefined for an empty one, which is not sent. */
export function textOf(data: FormData, name: string): string | undefined {
  const value = data.get(name)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** The texts of fields, without those that are empty. */
export const textsOf = <Name extends string>(data: FormData, ...names: Name[]) =>
  Object.fromEntries(names.flatMap((name) => (textOf(data, name) ? [[name, textOf(data, name)]] : []))) as {
    [Each in Name]?: string
  }

/** A number of a field, as the API wants it; other text is sent as it is, so that the API names the mistake. */
export function numberOf(data: FormData, name: string): number | undefined {
  const text = textOf(data, name)
  return text === undefined ? undefined : /^-?\d+$/.test(text) ? Number(text) : (text as unknown as number)
}

/** An amount as people write it, with a comma or a point. */
export function amountOf(data: FormData, name: string): string | undefined {
  const text = textOf(data, name)
  return text && decimalText(text, decimalSign())
}

/** The time of a field for a local date and time, or for a date, which means its end. */
export function timeOf(data: FormData, name: string): string | undefined {
  const text = textOf(data, name)
  return text && new Date(text.includes('T') ? text : `${text}T23:59:59`).toISOString()
}

/** A day of a field as a time: noon in UTC, which is on this day almost everywhere. */
export function dayOf(data: FormData, name: string): string | undefined {
  const text = textOf(data, name)
  return text && `${text}T12:00:00.000Z`
}

/** What a field for a local date and time shows. */
export function localTime(iso = new Date().toISOString()): string {
  const local = new Date(iso)
  return new Date(local.getTime() - local.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Its day, for a field. */
export const localDay = (iso?: string) => localTime(iso).slice(0, 10)
