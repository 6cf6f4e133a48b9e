import { buildTemplate } from '../services/kit/testing/database.ts'

/** What every test file clones: a migrated database. */
await buildTemplate()
