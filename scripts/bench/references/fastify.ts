import fastify from 'fastify'
import pg from 'pg'

/**
 * A bare server of the first page of parts: Fastify and pg as their manuals show them, with a prepared statement and without
 * sign-in, limits, log and metrics. It makes the answer from the columns, as such servers usually do.
 */
const { PORT, DATABASE_URL, POOL_SIZE } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) })
const server = fastify()
const PAGE_SIZE = 10

const PARTS = `
  select id, serial_number as "serialNumber", ip_owner_org_id as "ipOwnerOrgId", state, title,
    external_ref as "externalRef", description, require_subscription as "requireSubscription",
    material_type as "materialType", material_id as "materialId", process_id as "processId",
    technology_ids as "technologyIds", standard_ids as "standardIds", criticality_ids as "criticalityIds",
    category_ids as "categoryIds", unspsc_category_ids as "unspscCategoryIds", keywords, internal,
    unit_system as "unitSystem", box_x as x, box_y as y, box_z as z, metadata, revision, created_at as "createdTime",
    updated_at as "updatedTime", published_at as "publishedTime"
  from sourcing.parts
  where state = 'PUBLISHED' and not internal
  order by id desc limit $1 offset $2`

/** The loaded parts have a value in every column. */
const partOf = ({ x, y, z, ...part }: Record<string, unknown>) => ({ ...part, boundingBox: { x, y, z } })

server.get('/v1/parts', async () => {
  const { rows } = await pool.query({ name: 'parts', text: PARTS, values: [PAGE_SIZE + 1, 0] })
  return { items: rows.slice(0, PAGE_SIZE).map(partOf), hasMore: rows.length > PAGE_SIZE }
})

await server.listen({ port: Number(PORT), host: '127.0.0.1' })
