import { createPart, getPart, listParts, publishPart } from '../../../proto/http/sourcing/parts.ts'
import { JsonText } from '../../kit/http/json.ts'
import { pageOfDocuments, windowOf } from '../../kit/http/pages.ts'
import { notFound } from '../../kit/http/refusal.ts'
import type { Http } from '../../kit/http/server.ts'
import * as commands from './commands.ts'
import { findPart } from './queries.ts'
import { findPage } from './search.ts'

export const partRoutes = ({ http, ...deps }: commands.CommandDeps & { http: Http }) =>
  http
    .routes()
    .on(listParts, async ({ caller, query }) =>
      pageOfDocuments(await findPage(deps.sql, caller.orgId, { ...query, ...windowOf(query) }), query),
    )
    .on(createPart, (call) => commands.createPart(deps, call))
    .on(getPart, async ({ caller, params }) => {
      const [part] = await findPart(deps.sql, caller.orgId, params.id)
      if (!part) throw notFound()
      return new JsonText(part.document)
    })
    .on(publishPart, ({ caller, params, trail }) => commands.publishPart(deps, caller, params.id, trail))
