import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ifMatch } from '../api.ts'
import { Action, type ActionProps } from './dialog.tsx'

interface Opened<T> {
  data: T
  response: Response
}

interface EditProps<T> extends Omit<ActionProps, 'onRun' | 'onOpen' | 'children'> {
  /** Reads the record when the dialog opens. */
  read: () => Promise<Opened<T>>
  /** Sends the change, with the header that refuses it if the record is no longer as it was shown. */
  onRun: (data: FormData, unchanged: { 'If-Match': string }, record: T) => Promise<unknown>
  /** The fields, which begin with what was read. */
  children?: (record: T) => ComponentChildren
}

/** A change of a record as it is when the dialog opens: a later change by another person or tab refuses it. */
export function Edit<T>({ read, onRun, children, ...action }: EditProps<T>) {
  const opened = useSignal<Opened<T> | undefined>(undefined)
  const record = opened.value
  return (
    <Action
      {...action}
      onOpen={async () => {
        opened.value = await read()
      }}
      onRun={async (data) => record && onRun(data, ifMatch(record.response), record.data)}
    >
      {record && children?.(record.data)}
    </Action>
  )
}
