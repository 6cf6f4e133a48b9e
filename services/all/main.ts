import { configure, serve } from '../kit/service/run.ts'
import { sourcingProblems } from '../sourcing/config.ts'
import { type AllConfig, allVariables } from './config.ts'
import { createAll, ownerAmong } from './services.ts'

const config = configure(allVariables, process.env, sourcingProblems) as AllConfig
const services = await createAll(config)
await serve({ services: Object.values(services), config, ownerOf: ownerAmong(services) })
