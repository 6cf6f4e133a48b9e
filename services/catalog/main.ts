import { configure, serve } from '../kit/service/run.ts'
import { serviceVariables } from '../kit/service/service.ts'
import { createCatalog } from './service.ts'

const config = configure(serviceVariables, process.env)
const catalog = await createCatalog(config)
await serve({ services: [catalog], config, ownerOf: () => catalog })
