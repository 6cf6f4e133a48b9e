import { timeAfter } from '../../../../proto/durations.ts'
import type { FieldError } from '../../../../proto/errors.ts'
import { MAX_MESSAGES } from '../../../../proto/http/sourcing/case-messages.ts'
import { noSuch } from '../../../../proto/messages.ts'

/** Documents that the organization has not added to the case. */
export const fileProblems = (fileIds: readonly string[], ownIds: ReadonlySet<string>): FieldError[] =>
  fileIds.flatMap((id, index) =>
    ownIds.has(id)
      ? []
      : [{ field: `fileIds.${index}`, message: noSuch('document', id, 'of your organization in this case') }],
  )

export const unknownMessage = (id: string): FieldError => ({
  field: 'messageId',
  message: noSuch('message', id, 'in this case'),
})

export const hasRoom = (written: number): boolean => written < MAX_MESSAGES

/** The time of a new message: later than that of the message before, whichever command began first. */
export const laterTime = (previous: string | undefined, now: string): string =>
  previous === undefined || now > previous ? now : timeAfter(previous, 1)
