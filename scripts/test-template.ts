import { buildTemplate } from '../services/testing/database.ts'
import { importDefaults } from './operations/catalog.ts'

/** The template of every test database: migrated, with the shipped catalogs. */
await importDefaults(await buildTemplate())
process.exit(0)
