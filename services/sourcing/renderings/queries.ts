import type { Sql } from '../../kit/db/client.ts'

/** What was made of a file, on rows of `sourcing.files`: `RenderingColumn`. */
export const renderingColumn = (sql: Sql) => sql`(
  select json_strip_nulls(json_build_object('state', rendering.state, 'reason', rendering.reason,
    'geometry', rendering.geometry, 'previews', (
      select json_agg(json_build_object('id', preview.id, 'kind', preview.kind, 'page', preview.page,
        'width', preview.width, 'height', preview.height) order by preview.kind, preview.page)
      from sourcing.previews preview where preview.object_key = rendering.object_key)))
  from sourcing.renderings rendering where rendering.object_key = files.object_key)`
