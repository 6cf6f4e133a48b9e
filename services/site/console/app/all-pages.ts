import { useEffect } from 'preact/hooks'
import type { PagedPath } from '../../../../proto/clients/typescript/src/client.ts'
import { type List, useList } from './data.ts'

/** As many items as the organizations of a record may add to it together. */
export const MOST = 500

/** A list of which all pages are read, up to a bound; `hasMore` where there is more than that. */
export function useAll<P extends PagedPath>(
  ...[path, params]: Parameters<typeof useList<P>>
): ReturnType<typeof useList<P>> {
  const list = useList<P>(path, params)
  const { key, data, hasMore, showMore } = list as List<unknown>
  const count = data?.length ?? 0
  useEffect(() => {
    if (hasMore && count < MOST) showMore()
  }, [key, count, hasMore])
  return list
}
