import { serviceVariables } from '../kit/service/service.ts'

export const catalogVariables = serviceVariables
