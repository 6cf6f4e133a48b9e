import { configure, serve } from '../kit/service/run.ts'
import { webhooksProblems, webhooksVariables } from './config.ts'
import { createWebhooks } from './service.ts'

const config = configure(webhooksVariables, process.env, webhooksProblems)
const webhooks = await createWebhooks(config)
await serve({ services: [webhooks], config, ownerOf: () => webhooks })
