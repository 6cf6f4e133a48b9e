import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { PagedPath } from '../../../../proto/clients/typescript/src/client.ts'
import { market, type paths } from './api.ts'
import { onRefresh } from './refresh.ts'
import { session } from './session.ts'
import { firstRead } from './settling.ts'

type GetPath = Parameters<typeof market.GET>[0]
type DataOf<P extends GetPath> = Awaited<ReturnType<typeof market.GET<P>>>['data']
type ParamsOf<P extends GetPath> = paths[P] extends { get: { parameters: infer All } }
  ? { [Name in keyof All as Name extends 'path' | 'query' ? Name : never]: All[Name] }
  : never
type ItemOf<P extends PagedPath> = DataOf<P> extends { items: (infer Item)[] } ? Item : never

/** What is known of something that is read: data, or why there is none, or neither yet. */
export interface Read<T> {
  data: T | undefined
  error: unknown
}

interface Params {
  path?: object
  query?: object
}

/** A record that was not found this often in a row is no longer asked for by the timer: one that is new may be late. */
const MAX_NOT_FOUND = 3

/** A read that is repeated while a component shows it. Unchanged data keep their identity. */
class Resource<T> {
  readonly state: Signal<Read<T>> = signal({ data: undefined, error: undefined })
  users = 0
  readonly #path: GetPath
  readonly #params: Params
  #tag: string | null = null
  #text = ''
  #pending = false
  #again = false
  #notFound = 0

  constructor(path: GetPath, params: Params) {
    this.#path = path
    this.#params = params
  }

  readonly refresh = async (isByTimer = false): Promise<void> => {
    if (isByTimer && this.#notFound >= MAX_NOT_FOUND) return
    if (this.#pending) {
      // A tick of the timer needs no second read after one that is under way.
      this.#again ||= !isByTimer
      return
    }
    if (session.value !== 'active') return
    this.#pending = true
    const { data, error } = this.state.value
    const read = this.#read().catch((reason) => this.#fail(reason))
    await (data === undefined && error === undefined ? firstRead(read) : read)
    this.#pending = false
    if (!this.#again) return
    this.#again = false
    await this.refresh()
  }

  async #read(): Promise<void> {
    const headers = this.#tag === null ? {} : { 'If-None-Match': this.#tag }
    const { data, response } = await (market.GET as CallableFunction)(this.#path, { params: this.#params, headers })
    this.#notFound = 0
    if (response.status === 304) {
      if (this.state.value.error) this.state.value = { ...this.state.value, error: undefined }
      return
    }
    this.#tag = response.headers.get('etag')
    const text = JSON.stringify(data)
    if (text === this.#text && !this.state.value.error) return
    this.#text = text
    this.state.value = { data, error: undefined }
  }

  /** What may no longer be read disappears; a failure of the network or the server leaves it on the page. */
  #fail(error: unknown): void {
    const { status = 500 } = error as { status?: number }
    this.#notFound = status === 404 ? this.#notFound + 1 : 0
    const isGone = status >= 400 && status < 500 && status !== 401 && status !== 429
    if (isGone) {
      this.#tag = null
      this.#text = ''
    }
    this.state.value = { data: isGone ? undefined : this.state.value.data, error }
  }
}

/** Bounds what is kept of previous screens, which is shown immediately on the way back. */
const MAX_KEPT = 200
const kept = new Map<string, Resource<unknown>>()

function resourceOf<T>(path: GetPath, params: Params): Resource<T> {
  const key = `${path} ${JSON.stringify(params)}`
  const resource = kept.get(key) ?? new Resource<unknown>(path, params)
  kept.delete(key)
  kept.set(key, resource)
  for (const [old, { users }] of kept) {
    if (kept.size <= MAX_KEPT) break
    if (users === 0) kept.delete(old)
  }
  return resource as Resource<T>
}

/** Reads while the component is shown. */
function useResources(resources: readonly Resource<unknown>[], key: string) {
  const shown = session.value
  useEffect(() => {
    const stops = resources.map((resource) => {
      resource.users += 1
      resource.refresh()
      return onRefresh(resource.refresh)
    })
    return () => {
      for (const stop of stops) stop()
      for (const resource of resources) resource.users -= 1
    }
  }, [key, shown])
}

const NOTHING: Read<never> = { data: undefined, error: undefined }

/** A record that follows its changes; an undefined path reads nothing. */
export function useRecord<P extends GetPath>(path: P | undefined, params: ParamsOf<P>): Read<DataOf<P>> {
  const key = path === undefined ? '' : `${path} ${JSON.stringify(params)}`
  const resource = useMemo(() => path && resourceOf<DataOf<P>>(path, params as Params), [key])
  useResources(resource ? [resource as Resource<unknown>] : [], key)
  return resource ? resource.state.value : NOTHING
}

/** The answer of `read`, called once for each key; the last one stays meanwhile. Without a key nothing is read. */
export function useOnce<T>(key: string | undefined, read: () => Promise<T>): Read<T> {
  const answer = useSignal<Read<T>>(NOTHING)
  useEffect(() => {
    if (key === undefined) return
    let isCurrent = true
    const show = (next: Read<T>) => {
      if (isCurrent) answer.value = next
    }
    read().then(
      (data) => show({ data, error: undefined }),
      (error) => show({ data: answer.value.data, error }),
    )
    return () => {
      isCurrent = false
    }
  }, [key])
  return answer.value
}

export interface List<Item> extends Read<Item[]> {
  /** Differs for other filters. */
  key: string
  hasMore: boolean
  /** Whether the last page was read. */
  isComplete: boolean
  showMore(): void
}

const PAGE_SIZE = 25
const defaultId = (item: unknown) => (item as { id: string }).id

/** A list that follows its changes, page by page. */
export function useList<P extends PagedPath>(
  path: P | undefined,
  params: ParamsOf<P>,
  idOf: (item: ItemOf<P>) => string = defaultId,
): List<ItemOf<P>> {
  const key = path === undefined ? '' : `${path} ${JSON.stringify(params)}`
  const view = useSignal({ key, pages: 1 })
  const pages = view.value.key === key ? view.value.pages : 1
  const { query, ...rest } = params as Params
  const resources = path
    ? Array.from({ length: pages }, (_, at) =>
        resourceOf<DataOf<P>>(path, { ...rest, query: { pageSize: PAGE_SIZE, ...query, page: at + 1 } }),
      )
    : []
  useResources(resources as Resource<unknown>[], `${key} ${pages}`)
  const reads = resources.map(
    ({ state }) => state.value as Read<unknown> as Read<{ items: ItemOf<P>[]; hasMore: boolean }>,
  )
  const items = new Map(reads.flatMap(({ data }) => data?.items ?? []).map((item) => [idOf(item), item]))
  return {
    key,
    data: reads[0]?.data && [...items.values()],
    error: reads.find(({ error }) => error)?.error,
    hasMore: reads.at(-1)?.data?.hasMore ?? false,
    isComplete: reads.at(-1)?.data?.hasMore === false,
    showMore: () => {
      view.value = { key, pages: pages + 1 }
    },
  }
}

/** The most items that are read, page by page. */
export const MOST_ITEMS = 1000

/** All items of a list with few pages, once they were read; with more than the maximum, the first ones. */
export function useAll<P extends PagedPath>(path: P, params: ParamsOf<P>): List<ItemOf<P>> {
  const { query, ...rest } = params as Params
  const list = useList<P>(path, { ...rest, query: { pageSize: 50, ...query } } as unknown as ParamsOf<P>)
  const { key, data, hasMore, isComplete, showMore } = list
  const count = data?.length ?? 0
  useEffect(() => {
    if (hasMore && count < MOST_ITEMS) showMore()
  }, [key, count, hasMore])
  // What was complete stays while a further page is read.
  const last = useRef<Pick<typeof list, 'key' | 'data'>>({ key: '', data: undefined })
  if (isComplete || count >= MOST_ITEMS) last.current = { key, data }
  return {
    ...list,
    data: data && last.current.key === key ? last.current.data : undefined,
    hasMore: hasMore && count >= MOST_ITEMS,
  }
}
