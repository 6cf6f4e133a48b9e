import type { FieldError } from '../../../proto/errors.ts'

/** What a list asks of the parent: a category's id, null for the roots, undefined for whatever it is. */
export type ParentWanted = { parentId: string | null | undefined } | { errors: FieldError[] }

/** `topLevel` and `parentId` exclude each other whatever their values; `topLevel=false` by itself asks for nothing. */
export function parentWanted({ topLevel, parentId }: { topLevel?: boolean; parentId?: string }): ParentWanted {
  if (topLevel !== undefined && parentId !== undefined) {
    const message = 'topLevel and parentId cannot be sent together'
    return {
      errors: [
        { field: 'topLevel', message },
        { field: 'parentId', message },
      ],
    }
  }
  return { parentId: topLevel ? null : parentId }
}
