import createClient, {
  type FetchOptions,
  type FetchResponse,
  type MaybeOptionalInit,
  type ParseAs,
} from 'openapi-fetch'
import type { PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers'
import { errorOf } from './errors.ts'
import type { paths, Upload } from './generated/openapi.ts'
import { createTransport, type TransportOptions } from './transport.ts'

type Json = 'application/json'
type Method = 'get' | 'post' | 'patch' | 'delete'
type PathOf<M extends Method> = PathsWithMethod<paths, M>
type Init<M extends Method, P extends PathOf<M>> = MaybeOptionalInit<paths[P], M>
/** A path that does not exist becomes the union of all, where the path and not the number of arguments is refused. */
type Arguments<All, P, I> = [All] extends [P] ? [init?: I] : RequiredKeysOf<I> extends never ? [init?: I] : [init: I]
type Content<M extends Method, P extends PathOf<M>, I> = NonNullable<
  FetchResponse<paths[P][M] & Record<string, unknown>, I, Json>['data']
>
/** Undefined where an answer has no JSON, unless `parseAs` says how else it is read. */
type Data<M extends Method, P extends PathOf<M>, I> = [Content<M, P, I>] extends [never] ? undefined : Content<M, P, I>

/** A success; the headers are in `response`. An error response is thrown as an `ApiError`. */
interface Answer<D> {
  data: D
  response: Response
}
type Call<M extends Method> = <P extends PathOf<M>, As extends ParseAs = 'json'>(
  path: P,
  ...init: Arguments<PathOf<M>, P, Init<M, P> & { parseAs?: As }>
) => Promise<Answer<Data<M, P, { parseAs: As }>>>

type ItemOf<P extends PathOf<'get'>> =
  Data<'get', P, object> extends { hasMore: boolean; items: (infer Item)[] } ? Item : never
/** Paths of lists with pages. */
export type PagedPath = { [P in PathOf<'get'>]: [ItemOf<P>] extends [never] ? never : P }[PathOf<'get'>]

export interface Marketplace {
  GET: Call<'get'>
  POST: Call<'post'>
  PATCH: Call<'patch'>
  DELETE: Call<'delete'>
  /** The items of all pages. The next page is read when its first item is needed. */
  pages<P extends PagedPath>(
    path: P,
    ...init: Arguments<PagedPath, P, Init<'get', P>>
  ): AsyncGenerator<ItemOf<P>, void, void>
  /** Sends the bytes of a file. The upload can then be added to the files of a record by its id, within 24 hours. */
  upload(
    file: Blob | ArrayBuffer | Uint8Array,
    options: { name: string; public?: boolean; signal?: AbortSignal },
  ): Promise<Upload>
}

const MAX_PAGE_SIZE = 50

/** A client of a marketplace: the methods of openapi-fetch, whose responses are successes. */
export function createMarketplace(options: TransportOptions): Marketplace {
  const client = createClient<paths, Json>({ baseUrl: options.url, fetch: createTransport(options) })

  async function* pages(path: PagedPath, init: FetchOptions<unknown> & { params?: { query?: object } } = {}) {
    for (let page = 1; ; page++) {
      const query = { pageSize: MAX_PAGE_SIZE, ...init.params?.query, page }
      const { data } = await (client.GET as CallableFunction)(path, { ...init, params: { ...init.params, query } })
      yield* data.items
      if (!data.hasMore) return
    }
  }

  async function upload(
    file: Blob | ArrayBuffer | Uint8Array,
    { signal, ...body }: { name: string; public?: boolean; signal?: AbortSignal },
  ): Promise<Upload> {
    const { data } = await client.POST('/v1/uploads', { body, ...(signal ? { signal } : {}) })
    const { uploadUrl, method, headers } = data as Upload
    // The address may be that of a file store, which must not see the token.
    const send = options.fetch ?? ((url: string, init: RequestInit) => fetch(url, init))
    const response = await send(uploadUrl, {
      method,
      headers,
      body: file as Exclude<typeof file, Uint8Array> | Uint8Array<ArrayBuffer>,
      ...(signal ? { signal } : {}),
    })
    if (!response.ok) throw await errorOf({ method, url: uploadUrl }, response)
    return data as Upload
  }

  // The transport throws for errors, so their types are left out.
  return { ...client, pages, upload } as unknown as Marketplace
}

/** The header of a change that is refused (412) if the record has changed since this response. */
export function ifMatch({ headers }: Response): { 'If-Match': string } {
  const tag = headers.get('etag')
  if (tag === null) throw new TypeError('The response has no ETag.')
  return { 'If-Match': tag }
}
