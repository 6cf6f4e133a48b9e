import { buildTemplate } from '../services/testing/database.ts'
import { importDefaults } from './operations/catalog.ts'

/** What every test file clones: a migrated database with the shipped catalogs, loaded as an operator loads them. */
await importDefaults(await buildTemplate())
process.exit(0)
