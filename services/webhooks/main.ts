import { configure, serve } from '../kit/service/run.ts'
import { serviceVariables } from '../kit/service/service.ts'
import { createWebhooks } from './service.ts'

const config = configure(serviceVariables, process.env)
const webhooks = await createWebhooks(config)
await serve({ services: [webhooks], config, ownerOf: () => webhooks })
