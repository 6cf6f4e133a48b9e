import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../texts.ts'
import { Failure, useAttempt } from './attempt.tsx'
import { Field, Form, type FormProps, textOf, textsOf } from './form.tsx'
import { mayLeave } from './half-filled.ts'
import { Icon, type IconName } from './icon.tsx'

/** A modal dialog while it is shown. The focus returns to what opened it. */
export function Dialog({
  title,
  isWide = false,
  look = isWide ? 'wide' : '',
  onClose,
  children,
}: {
  title: string
  isWide?: boolean
  look?: string
  onClose?: () => void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null
    dialog.current?.showModal()
    return () => opener?.focus()
  }, [])
  const asked = (event: Event) => {
    // A field for files also tells that nothing was chosen.
    if (event.target === dialog.current && dialog.current && !mayLeave(dialog.current)) event.preventDefault()
  }
  // The browser lets only the first Escape be refused, so the key itself is.
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && dialog.current && !mayLeave(dialog.current)) event.preventDefault()
  }
  // Escape closes it, unless it must be answered.
  const closed = () => {
    const shown = dialog.current
    if (shown && (!onClose || !mayLeave(shown))) shown.showModal()
    else onClose?.()
  }
  return (
    <dialog ref={dialog} class={look} aria-label={title} onClose={closed} onCancel={asked} onKeyDown={pressed}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}

export interface ActionProps {
  /** The button and the title of its dialog. */
  label: string
  icon?: IconName
  /** What it is done to, in the title of its dialog. */
  of?: string | undefined
  hint?: ComponentChildren
  /** The button that sends the dialog. Default: the label. */
  submit?: string
  /** Whether it is offered. A dialog that is open stays, so that its text and its refusal do. */
  when?: boolean
  isPrimary?: boolean
  /** For a form with many fields. */
  isWide?: boolean
  isDangerous?: boolean
  onRun: (data: FormData) => Promise<unknown>
  /** Whether the address asks for it, as the palette does. */
  isAsked?: boolean
  /** Reads what the dialog needs, before it opens. */
  onOpen?: () => Promise<unknown>
  form?: Partial<FormProps>
  /** The fields of its dialog. */
  children?: ComponentChildren
}

/** A verb with a dialog that asks for what it needs. */
export function Action({
  label,
  icon,
  of,
  hint,
  submit = label,
  when = true,
  isPrimary = false,
  isDangerous = false,
  isWide = false,
  onRun,
  onOpen,
  isAsked = false,
  form,
  children,
}: ActionProps) {
  const isOpen = useSignal(false)
  const { isRunning, failure, attempt } = useAttempt()
  useEffect(() => {
    if (isAsked && when) isOpen.value = true
  }, [isAsked, when])
  const open = async () => {
    await onOpen?.()
    isOpen.value = true
  }
  const close = () => {
    isOpen.value = false
  }
  const run = async (data: FormData) => {
    await onRun(data)
    close()
  }
  return (
    <>
      {when && (
        <button
          type="button"
          class={isPrimary ? 'primary' : isDangerous ? 'danger' : ''}
          // A disabled button would lose the focus, which the dialog returns to it.
          aria-disabled={isRunning.value}
          onClick={() => attempt(open)}
        >
          {icon && <Icon name={icon} size={16} />}
          {label}
        </button>
      )}
      <Failure of={failure} />
      {isOpen.value && (
        <Dialog title={of ? `${label}: ${of}` : label} isWide={isWide} onClose={close}>
          {hint && <p class="quiet">{hint}</p>}
          <Form
            onSend={run}
            {...form}
            submit={submit}
            tone={isDangerous ? 'danger' : 'primary'}
            buttons={
              <button type="button" onClick={close}>
                {t.ui.cancel}
              </button>
            }
          >
            {children}
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** `isLater`: another field comes before it. */
export const Reason = ({ isOptional = false, isLater = false }: { isOptional?: boolean; isLater?: boolean }) => (
  <Field name="reason" label={t.ui.reason} rows={3} isOptional={isOptional} isFocused={!isLater} />
)
export const reasonOf = (data: FormData) => textOf(data, 'reason') ?? ''

export const optionalReason = (data: FormData) => textsOf(data, 'reason')
