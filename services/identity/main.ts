import { configure, serve } from '../kit/service/run.ts'
import { identityVariables } from './config.ts'
import { createIdentity } from './service.ts'

const config = configure(identityVariables, process.env)
const identity = await createIdentity(config)
await serve({ services: [identity], config, ownerOf: () => identity })
