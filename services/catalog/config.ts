import { type Static, Type } from '@sinclair/typebox'
import { serviceVariables } from '../kit/service/service.ts'

/** The catalog stores no secret. */
export const catalogVariables = Type.Omit(serviceVariables, ['ENCRYPTION_KEYS'])

export type CatalogConfig = Static<typeof catalogVariables>
