import type { Measure } from '../bench.ts'
import type { Section } from '../options.ts'
import { measureMemory } from './memory.ts'
import { measureParts } from './parts.ts'

export const MEASURES: Record<Section, Measure> = {
  memory: measureMemory,
  parts: measureParts,
}
