import fastify from 'fastify'
import pg from 'pg'

/**
 * A bare server of the first page of parts: Fastify and pg as their manuals show them, with a prepared statement and without
 * sign-in, limits, log and metrics. It makes the answer from the columns, as such servers usually do.
 */
const { PORT, DATABASE_URL = '', POOL_SIZE } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) })
const server = fastify()
const PAGE_SIZE = 10

interface PartRow {
  id: string
  serial_number: string
  ip_owner_org_id: string
  state: string
  title: string | null
  external_ref: string | null
  description: string | null
  require_subscription: boolean
  material_type: string | null
  material_id: string | null
  process_id: string | null
  technology_ids: string[]
  standard_ids: string[]
  criticality_ids: string[]
  category_ids: string[]
  unspsc_category_ids: string[]
  keywords: string[]
  internal: boolean
  unit_system: string | null
  box_x: number | null
  box_y: number | null
  box_z: number | null
  metadata: unknown
  revision: number
  created_at: Date
  updated_at: Date
  published_at: Date | null
}

const COLUMNS = `
  select id, serial_number, ip_owner_org_id, state, title, external_ref, description, require_subscription,
    material_type, material_id, process_id, technology_ids, standard_ids, criticality_ids, category_ids,
    unspsc_category_ids, keywords, internal, unit_system, box_x, box_y, box_z, metadata, revision, created_at,
    updated_at, published_at
  from sourcing.parts
  where state = 'PUBLISHED' and not internal
  order by id desc limit $1 offset $2`

const given = <T>(value: T | null) => value ?? undefined

const partOf = (row: PartRow) => ({
  id: row.id,
  serialNumber: row.serial_number,
  ipOwnerOrgId: row.ip_owner_org_id,
  state: row.state,
  title: given(row.title),
  externalRef: given(row.external_ref),
  description: given(row.description),
  requireSubscription: row.require_subscription,
  materialType: given(row.material_type),
  materialId: given(row.material_id),
  processId: given(row.process_id),
  technologyIds: row.technology_ids,
  standardIds: row.standard_ids,
  criticalityIds: row.criticality_ids,
  categoryIds: row.category_ids,
  unspscCategoryIds: row.unspsc_category_ids,
  keywords: row.keywords,
  internal: row.internal,
  unitSystem: given(row.unit_system),
  boundingBox: { x: given(row.box_x), y: given(row.box_y), z: given(row.box_z) },
  metadata: row.metadata,
  revision: row.revision,
  createdTime: row.created_at,
  updatedTime: row.updated_at,
  publishedTime: given(row.published_at),
})

server.get('/v1/parts', async () => {
  const { rows } = await pool.query<PartRow>({ name: 'parts', text: COLUMNS, values: [PAGE_SIZE + 1, 0] })
  return { items: rows.slice(0, PAGE_SIZE).map(partOf), hasMore: rows.length > PAGE_SIZE }
})

await server.listen({ port: Number(PORT), host: '127.0.0.1' })
