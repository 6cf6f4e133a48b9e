/** Types of materials. */
export const MATERIAL_TYPES = ['metal', 'polymer', 'ceramic', 'composite', 'sand', 'wax', 'other'] as const

/** Types of production processes. */
export const PRODUCTION_PROCESS_TYPES = ['additive_manufacturing', 'cnc', 'rapid_casting'] as const

/** Process families of ISO/ASTM 52900. */
export const PROCESS_FAMILIES = ['BJT', 'DED', 'MEX', 'MJT', 'PBF', 'SHL', 'VPP'] as const
