import { type Static, Type } from '@sinclair/typebox'
import { addressVariables } from '../kit/addresses/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'
import { storageProblems, storageVariables } from './files/storage/config.ts'

export const sourcingVariables = Type.Object({
  ...serviceVariables.properties,
  ...storageVariables,
  ...addressVariables,
  UPLOADS_OPEN_MAX: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 200,
    description:
      'Maximum uploads per organization that are not attached to a part. On S3 their sizes are checked only when they are added.',
  }),
  STORED_BYTES_MAX: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 100 * 1024 ** 3,
    description: 'Maximum total size of the files of an organization and their previews, in bytes.',
  }),
  REVISION_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_525,
    default: 2557,
    description:
      'How long an order keeps the pinned revision of its part with its files, in days, and at least until it is finished. Default: seven years.',
  }),
  FILES_PENDING_MAX: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1000,
    description: 'Maximum PENDING files per organization: imports, and copies on S3.',
  }),
  MAIL_FROM: Type.Optional(
    Type.String({
      maxLength: 320,
      description:
        'The sender of the service of organizations. Unset: manufacturers cannot be invited by an e-mail address.',
    }),
  ),
  PREVIEWS: Type.Boolean({
    default: true,
    description:
      'Whether files are measured and pictured, each in a process of its own. Files that wait are rendered when it is on again.',
  }),
  PREVIEW_MEMORY_MAX: Type.Integer({
    minimum: 256 * 1024 ** 2,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 1536 * 1024 ** 2,
    description: 'Memory of a process that measures and pictures a file, in bytes. A replica runs two.',
  }),
  IMPORTS_AT_ONCE: Type.Integer({
    minimum: 1,
    maximum: 1024,
    default: 64,
    description: 'Concurrent imports of one replica. On S3 at most 16, because each may buffer 8 MiB.',
  }),
})

export type SourcingConfig = Static<typeof sourcingVariables>

/** Problems that the schema cannot express. */
export const sourcingProblems = storageProblems
