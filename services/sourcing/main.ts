import { configure, serve } from '../kit/service/run.ts'
import { sourcingProblems, sourcingVariables } from './config.ts'
import { createSourcing } from './service.ts'

const config = configure(sourcingVariables, process.env, sourcingProblems)
const sourcing = await createSourcing(config)
await serve({ services: [sourcing], config, ownerOf: () => sourcing })
