import { ROOT } from '../toolchain/checkout.ts'
import { findViolations } from './find-violations.ts'

const violations = await findViolations(ROOT)
for (const { rule, from, to } of violations) console.error(`${from} → ${to}: ${rule}`)
if (violations.length === 0) console.log('The imports keep the rules of the architecture.')
process.exit(violations.length === 0 ? 0 : 1)
