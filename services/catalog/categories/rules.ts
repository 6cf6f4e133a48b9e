import type { FieldError } from '../../../proto/errors.ts'

/** The parent filter of a list: a category's id, null for roots, undefined for all. */
type ParentFilter = { parentId: string | null | undefined } | { errors: FieldError[] }

/** `topLevel` and `parentId` exclude each other regardless of their values. `topLevel=false` alone filters nothing. */
export function parentFilter({ topLevel, parentId }: { topLevel?: boolean; parentId?: string }): ParentFilter {
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
