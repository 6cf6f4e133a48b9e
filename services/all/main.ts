import { configure, serve } from '../kit/service/run.ts'
import { type AllConfig, allProblems, allVariables } from './config.ts'
import { createAll, ownerAmong } from './services.ts'

const config = configure(allVariables, process.env, (values) => allProblems(values as AllConfig)) as AllConfig
const services = await createAll(config)
await serve({ services: Object.values(services), config, ownerOf: ownerAmong(services) })
