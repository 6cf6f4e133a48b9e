import { type Static, Type } from '@sinclair/typebox'
import { addressVariables } from '../kit/addresses/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'
import { storageVariables } from './storage/config.ts'

export const sourcingVariables = Type.Object({
  ...serviceVariables.properties,
  ...storageVariables,
  ...addressVariables,
  UPLOADS_OPEN_MAX: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 200,
    description: 'Uploads of one organization that wait for a part to take them.',
  }),
  STORED_BYTES_MAX: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 100 * 1024 ** 3,
    description: 'What the files of one organization may have together, in bytes.',
  }),
  FILES_PENDING_MAX: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'Files of one organization that may be PENDING at once, imports and copies.',
  }),
  IMPORTS_AT_ONCE: Type.Integer({
    minimum: 1,
    maximum: 1024,
    default: 64,
    description:
      'Imports that one replica fetches at once, most of which wait for slow sources. On S3 at most 16: each may hold 8 MiB.',
  }),
  IMPORT_GRACE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 1800,
    default: 60,
    description:
      'How long an import has its place, in seconds, before the slowest gives way to others that wait while all are taken.',
  }),
})

export type SourcingConfig = Static<typeof sourcingVariables>
