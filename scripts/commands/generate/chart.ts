import { PATHS } from '../../../proto/paths.ts'
import type { GeneratedFiles } from './files.ts'

/** The paths of each service, for ingress and routes. */
const pathsText = () =>
  Object.entries(PATHS)
    .map(([service, prefixes]) => `${service}:\n${prefixes.map((prefix) => `  - ${prefix}\n`).join('')}`)
    .join('')

/** The files of the chart that derive from the code. */
export const chartFiles = (): GeneratedFiles => new Map([['charts/marketplace/files/paths.yaml', pathsText()]])
