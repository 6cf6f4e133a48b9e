import { join } from 'node:path'
import { Elysia } from 'elysia'
import {
  getActivatePage,
  getDocs,
  getDocsAsset,
  getFavicon,
  getImpersonatePage,
  getOpenApi,
  getRoot,
} from '../../../proto/http/identity/pages.ts'
import openapi from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { JsonText } from '../../kit/db/json-text.ts'
import { notFound } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'

/** The pages load nothing from other origins, cannot be framed, and send no referrer. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
}

const CACHED_FOR_AN_HOUR = 'public, max-age=3600'

const HERE = import.meta.dir
const SWAGGER_UI = join(HERE, '..', '..', '..', 'node_modules', 'swagger-ui-dist')

/** Assets are read on request, so that they occupy no memory. */
const ASSETS: Record<string, { path: string; mediaType: string }> = {
  'swagger-ui.css': { path: join(SWAGGER_UI, 'swagger-ui.css'), mediaType: 'text/css; charset=utf-8' },
  'swagger-ui-bundle.js': {
    path: join(SWAGGER_UI, 'swagger-ui-bundle.js'),
    mediaType: 'text/javascript; charset=utf-8',
  },
  'page.css': { path: join(HERE, 'page.css'), mediaType: 'text/css; charset=utf-8' },
  'docs.js': { path: join(HERE, 'docs.js'), mediaType: 'text/javascript; charset=utf-8' },
  'impersonate.js': { path: join(HERE, 'impersonate.js'), mediaType: 'text/javascript; charset=utf-8' },
  'activate.js': { path: join(HERE, 'activate.js'), mediaType: 'text/javascript; charset=utf-8' },
}

const OPENAPI = new JsonText(JSON.stringify(openapi))

const page = async (name: string) =>
  new Raw(await Bun.file(join(HERE, name)).text(), 'text/html; charset=utf-8', PAGE_HEADERS)

export const pageRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'identity.pages' })
    .use(http.publicRoute(getRoot, () => new Raw(null, 'text/plain', { location: getDocs.path }, 302)))
    .use(
      http.publicRoute(
        getFavicon,
        () => new Raw(Bun.file(join(HERE, 'favicon.svg')), 'image/svg+xml', { 'cache-control': CACHED_FOR_AN_HOUR }),
      ),
    )
    .use(http.publicRoute(getOpenApi, () => OPENAPI))
    .use(http.publicRoute(getDocs, () => page('docs.html')))
    .use(http.publicRoute(getActivatePage, () => page('activate.html')))
    .use(http.publicRoute(getImpersonatePage, () => page('impersonate.html')))
    .use(
      http.publicRoute(getDocsAsset, ({ params }) => {
        const asset = Object.hasOwn(ASSETS, params.asset) ? ASSETS[params.asset] : undefined
        if (!asset) throw notFound()
        return new Raw(Bun.file(asset.path), asset.mediaType, { 'cache-control': CACHED_FOR_AN_HOUR })
      }),
    )
