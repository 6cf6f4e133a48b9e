import { configure, serve } from '../kit/service/run.ts'
import { sourcingVariables } from './config.ts'
import { createSourcing } from './service.ts'
import { storageProblems } from './storage/config.ts'

const config = configure(sourcingVariables, process.env, storageProblems)
const sourcing = await createSourcing(config)
await serve({ services: [sourcing], config, ownerOf: () => sourcing })
