/** Types of materials. */
export const MATERIAL_TYPES = ['metal', 'polymer', 'ceramic', 'composite', 'sand', 'wax', 'other'] as const
export type MaterialType = (typeof MATERIAL_TYPES)[number]

/** Types of production processes. */
export const PRODUCTION_PROCESS_TYPES = ['additive_manufacturing', 'cnc', 'rapid_casting'] as const
export type ProductionProcessType = (typeof PRODUCTION_PROCESS_TYPES)[number]

/** Process families of ISO/ASTM 52900. */
export const PROCESS_FAMILIES = ['BJT', 'DED', 'MEX', 'MJT', 'PBF', 'SHL', 'VPP'] as const
export type ProcessFamily = (typeof PROCESS_FAMILIES)[number]
