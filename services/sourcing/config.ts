import { serviceVariables } from '../kit/service/service.ts'

export const sourcingVariables = serviceVariables
