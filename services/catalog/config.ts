import type { Static } from '@sinclair/typebox'
import { serviceVariables } from '../kit/service/service.ts'

/** The catalogs need nothing beyond what every service needs. */
export const catalogVariables = serviceVariables
export type CatalogConfig = Static<typeof catalogVariables>
