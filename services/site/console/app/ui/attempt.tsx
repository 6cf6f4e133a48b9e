import { type Signal, useSignal } from '@preact/signals'
import { session } from '../session.ts'
import { reasonOfRefusal } from './form.tsx'

/** Runs what a button begins without a form, once at a time, and keeps why it has failed. */
export function useAttempt() {
  const isRunning = useSignal(false)
  const failure = useSignal('')
  const attempt = async (run: () => Promise<unknown>) => {
    if (isRunning.value) return
    isRunning.value = true
    failure.value = ''
    try {
      await run()
    } catch (error) {
      // The end of the session has a dialog of its own.
      if (session.value !== 'ended') failure.value = reasonOfRefusal(error)
    } finally {
      isRunning.value = false
    }
  }
  return { isRunning, failure, attempt }
}

export const Failure = ({ of }: { of: Signal<string> }) =>
  of.value ? (
    <span class="error" role="alert">
      {of.value}
    </span>
  ) : null

/** A button that makes a file and saves it. */
export function Download({ label, onRun }: { label: string; onRun: () => Promise<unknown> }) {
  const { isRunning, failure, attempt } = useAttempt()
  return (
    <>
      {/* A disabled button would lose the focus. */}
      <button type="button" aria-disabled={isRunning.value} onClick={() => attempt(onRun)}>
        {label}
      </button>
      <Failure of={failure} />
    </>
  )
}
