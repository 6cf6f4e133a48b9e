import { configure, serve } from '../kit/service/run.ts'
import { catalogVariables } from './config.ts'
import { createCatalog } from './service.ts'

const config = configure(catalogVariables, process.env)
const catalog = await createCatalog(config)
await serve({ services: [catalog], config, ownerOf: () => catalog })
