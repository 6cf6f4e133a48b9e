import { configure, serve } from '../kit/service/run.ts'
import { organizationVariables } from './config.ts'
import { createOrganizationService } from './service.ts'

const config = configure(organizationVariables, process.env)
const organization = await createOrganizationService(config)
await serve({ services: [organization], config, ownerOf: () => organization })
