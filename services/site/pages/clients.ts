import { join } from 'node:path'
import { Elysia } from 'elysia'
import { getClientPackage } from '../../../proto/http/identity/pages.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { Http } from '../../kit/http/http.ts'
import { Raw } from '../../kit/http/raw.ts'

/** The packages of the clients, which `./scripts/client --served` builds; the image has them. */
const FOLDER = join(import.meta.dir, '..', '..', '..', 'proto', 'clients', 'dist')
const PACKAGE = /^marketplace[\w.-]*\.(tgz|whl)$/
const CACHED = { 'cache-control': 'public, max-age=300' }

/** The packages of the clients of this version, because no registry may have them. */
export const clientRoutes = ({ http }: { http: Http }) =>
  new Elysia({ name: 'identity.clients' }).use(
    http.publicRoute(getClientPackage, async ({ params }) => {
      const file = Bun.file(join(FOLDER, params.file))
      if (!PACKAGE.test(params.file) || !(await file.exists())) {
        throw refuse('not_found', {
          detail:
            'This marketplace has no such package. `./scripts/client --served` builds the packages of its version.',
        })
      }
      return new Raw(await file.bytes(), 'application/octet-stream', CACHED)
    }),
  )
