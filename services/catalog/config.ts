import type { Static } from '@sinclair/typebox'
import { serviceVariables } from '../kit/service/service.ts'

/** The catalog service has no variables of its own. */
export const catalogVariables = serviceVariables
export type CatalogConfig = Static<typeof catalogVariables>
