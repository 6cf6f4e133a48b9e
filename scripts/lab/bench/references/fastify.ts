import fastify from 'fastify'
import pg from 'pg'

/**
 * A bare server of the first page of parts: Fastify and pg as their manuals show them, with a prepared statement and
 * without sign-in, limits, log and metrics. It makes the answer from the columns, as such servers usually do.
 */
const { PORT, DATABASE_URL, POOL_SIZE } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) })
const server = fastify()
const PAGE_SIZE = 10

const PARTS = `
  select id, serial_number as "serialNumber", ip_owner_org_id as "ipOwnerOrgId", state,
    content, technology_ids as "technologyIds", revision, created_at as "createdTime",
    updated_at as "updatedTime", published_at as "publishedTime"
  from sourcing.parts
  where state = 'PUBLISHED' and not internal
  order by id desc limit $1 offset $2`

/** Without the nulls of parts that were never published, because the first page has none. */
const partOf = ({ content, ...part }: { content: object }) => ({ ...part, ...content })

server.get('/v1/parts', async () => {
  const { rows } = await pool.query({ name: 'parts', text: PARTS, values: [PAGE_SIZE + 1, 0] })
  return { items: rows.slice(0, PAGE_SIZE).map(partOf), hasMore: rows.length > PAGE_SIZE }
})

await server.listen({ port: Number(PORT), host: '127.0.0.1' })
