import { configure, serve } from '../kit/service/run.ts'
import { organizationProblems, organizationVariables } from './config.ts'
import { createOrganizationService } from './service.ts'

const config = configure(organizationVariables, process.env, organizationProblems)
const organization = await createOrganizationService(config)
await serve({ services: [organization], config, ownerOf: () => organization })
