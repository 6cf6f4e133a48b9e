import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Elysia } from 'elysia'
import asyncapi from '../../../proto/asyncapi.json' with { type: 'json' }
import * as pages from '../../../proto/http/identity/pages.ts'
import openapi from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { JsonText } from '../../kit/db/json-text.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'
import { Asset, fileAsset, SCRIPT } from './assets.ts'
import { documentationSite, PAGE_HEADERS } from './site.ts'

const HERE = import.meta.dir
const DOCUMENTATION = join(HERE, 'documentation')
/** The modules of the API reference, which `scripts/toolchain/api-reference.ts` installs. */
const REFERENCE = join(HERE, '..', '..', '..', 'node_modules', '.api-reference')

const OPENAPI = new JsonText(JSON.stringify(openapi))
const ASYNCAPI = new JsonText(JSON.stringify(asyncapi))

const FORM_FILES = ['form.css', 'impersonate.js']
const SITE_FILES = [
  'site.css',
  'text.css',
  'site.js',
  'search.js',
  'reference.css',
  'reference.js',
  'document.js',
  'session.js',
]

type Assets = ReadonlyMap<string, Asset>

const filesIn = (folder: string, names: readonly string[]) =>
  names.map((name) => [name, fileAsset(join(folder, name))] as const)

/** The scripts of a folder; none where the API reference is not installed. */
const scriptsIn = (folder: string): Assets =>
  new Map(filesIn(folder, existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.js')) : []))

function answerOf(assets: Assets, name: string, request: Request): Promise<Raw> {
  const asset = assets.get(name)
  if (!asset) throw refuse('not_found', { detail: 'There is nothing at this path.' })
  return asset.answer(request)
}

/** What a page of a link says about the console. */
const ON_CONSOLE = /<!-- console -->.*<!-- \/console -->/

async function form(file: string, hasConsole: boolean): Promise<Raw> {
  const html = await Bun.file(join(HERE, file)).text()
  return new Raw(hasConsole ? html : html.replace(ON_CONSOLE, ''), 'text/html; charset=utf-8', PAGE_HEADERS)
}

interface PageDeps {
  http: Http
  publicUrl: string
  hasConsole: boolean
  /** The scripts of pages of links. */
  scripts: readonly (readonly [name: string, read: () => Promise<Uint8Array>])[]
}

/** The documentation, and the pages of links for people. */
export async function pageRoutes({ http, publicUrl, hasConsole, scripts }: PageDeps) {
  const site = await documentationSite(publicUrl, hasConsole)
  const assets: Assets = new Map([
    ...filesIn(HERE, FORM_FILES),
    ...filesIn(DOCUMENTATION, SITE_FILES),
    ...scripts.map(([name, read]) => [name, new Asset(SCRIPT, read)] as const),
    ...site.assets,
  ])
  const modules = scriptsIn(REFERENCE)
  const chunks = scriptsIn(join(REFERENCE, 'chunks'))
  const icon = fileAsset(join(HERE, 'favicon.svg'))
  return new Elysia({ name: 'identity.pages' })
    .use(http.publicRoute(pages.getRoot, () => new Raw(null, 'text/plain', { location: pages.getDocs.path }, 302)))
    .use(http.publicRoute(pages.getFavicon, ({ request }) => icon.answer(request)))
    .use(http.publicRoute(pages.getOpenApi, () => OPENAPI))
    .use(http.publicRoute(pages.getAsyncApi, () => ASYNCAPI))
    .use(http.publicRoute(pages.getLlmsText, ({ request }) => site.llms.answer(request)))
    .use(http.publicRoute(pages.getDocs, ({ request }) => site.overview.answer(request)))
    .use(http.publicRoute(pages.getReference, ({ request }) => site.reference.answer(request)))
    .use(http.publicRoute(pages.getGuide, ({ params, request }) => answerOf(site.guides, params.guide, request)))
    .use(http.publicRoute(pages.getDocsAsset, ({ params, request }) => answerOf(assets, params.asset, request)))
    .use(http.publicRoute(pages.getReferenceModule, ({ params, request }) => answerOf(modules, params.asset, request)))
    .use(http.publicRoute(pages.getReferenceChunk, ({ params, request }) => answerOf(chunks, params.asset, request)))
    .use(http.publicRoute(pages.getActivatePage, () => form('activate.html', hasConsole)))
    .use(http.publicRoute(pages.getImpersonatePage, () => form('impersonate.html', hasConsole)))
    .use(http.publicRoute(pages.getMailAddressPage, () => form('mail-address.html', hasConsole)))
}
