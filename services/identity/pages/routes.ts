import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import {
  getActivatePage,
  getDocs,
  getDocsAsset,
  getFavicon,
  getImpersonatePage,
  getOpenApi,
  getReferenceChunk,
  getReferenceModule,
  getRoot,
} from '../../../proto/http/identity/pages.ts'
import openapi from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { JsonText } from '../../kit/db/json-text.ts'
import { notFound } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { Asset, fileAsset } from './assets.ts'
import { readGuides } from './guides.ts'

const HERE = import.meta.dir
/** The modules of the API reference, which `scripts/toolchain/api-reference.ts` installs. */
const REFERENCE = join(HERE, '..', '..', '..', 'node_modules', '.api-reference')

/** The pages load nothing from other origins, cannot be framed, and send no referrer. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
}

const OPENAPI = new JsonText(JSON.stringify(openapi))

const FILES = ['form.css', 'activate.js', 'impersonate.js']
const DOCUMENTATION_FILES = ['page.css', 'page.js', 'document.js', 'session.js']

type Assets = ReadonlyMap<string, Asset>

const filesIn = (folder: string, names: readonly string[]) =>
  names.map((name) => [name, fileAsset(join(folder, name))] as const)

const ASSETS: Assets = new Map([
  ...filesIn(HERE, FILES),
  ...filesIn(join(HERE, 'documentation'), DOCUMENTATION_FILES),
  ['openapi.json', new Asset('application/json', async () => Buffer.from(OPENAPI.text))],
  ['guides.md', new Asset('text/markdown; charset=utf-8', async () => Buffer.from(await readGuides()))],
])

/** The scripts of a folder; none where the API reference is not installed. */
const scriptsIn = (folder: string): Assets =>
  new Map(filesIn(folder, existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : []))

function answerOf(assets: Assets, name: string, request: Request): Promise<Raw> {
  const asset = assets.get(name)
  if (!asset) throw notFound()
  return asset.answer(request)
}

const page = async (...path: string[]) =>
  new Raw(await Bun.file(join(HERE, ...path)).text(), 'text/html; charset=utf-8', PAGE_HEADERS)

/** The documentation, and the pages of links for people. */
export function pageRoutes({ http }: { http: Http }) {
  const modules = scriptsIn(REFERENCE)
  const chunks = scriptsIn(join(REFERENCE, 'chunks'))
  const icon = fileAsset(join(HERE, 'favicon.svg'))
  return new Elysia({ name: 'identity.pages' })
    .use(http.publicRoute(getRoot, () => new Raw(null, 'text/plain', { location: getDocs.path }, 302)))
    .use(http.publicRoute(getFavicon, ({ request }) => icon.answer(request)))
    .use(http.publicRoute(getOpenApi, () => OPENAPI))
    .use(http.publicRoute(getDocs, () => page('documentation', 'page.html')))
    .use(http.publicRoute(getDocsAsset, ({ params, request }) => answerOf(ASSETS, params.asset, request)))
    .use(http.publicRoute(getReferenceModule, ({ params, request }) => answerOf(modules, params.asset, request)))
    .use(http.publicRoute(getReferenceChunk, ({ params, request }) => answerOf(chunks, params.asset, request)))
    .use(http.publicRoute(getActivatePage, () => page('activate.html')))
    .use(http.publicRoute(getImpersonatePage, () => page('impersonate.html')))
}
