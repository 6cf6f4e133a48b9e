import type { Measure } from '../bench.ts'
import type { Section } from '../options.ts'
import { measureAuditLog } from './audit.ts'
import { measureCatalog } from './catalog.ts'
import { measureCreate } from './create.ts'
import { measureMemory } from './memory.ts'
import { measurePages } from './pages.ts'
import { measureParts } from './parts.ts'
import { measureRefreshes } from './refresh.ts'
import { measureSignIn } from './sign-in.ts'
import { measureUploads } from './uploads.ts'
import { measureUsers } from './users.ts'

export const MEASURES: Readonly<Record<Section, Measure>> = {
  memory: measureMemory,
  parts: measureParts,
  pages: measurePages,
  create: measureCreate,
  catalog: measureCatalog,
  users: measureUsers,
  'sign-in': measureSignIn,
  refresh: measureRefreshes,
  audit: measureAuditLog,
  uploads: measureUploads,
}
