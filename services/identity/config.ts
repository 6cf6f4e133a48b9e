import { type Static, Type } from '@sinclair/typebox'
import { consoleVariables } from '../kit/config/variables.ts'
import { serviceVariables } from '../kit/service/service.ts'

export const identityVariables = Type.Object({
  ...serviceVariables.properties,
  HASHING_SLOTS: Type.Integer({
    minimum: 1,
    maximum: 64,
    default: Math.min(navigator.hardwareConcurrency, 64),
    description: 'Maximum number of passwords hashed concurrently. Default: the number of cores, at most 64.',
  }),
  HASHING_QUEUE: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    default: 200,
    description:
      'Maximum number of sign-ins that wait for a hashing slot, at most a quarter of them from one network or organization. Further ones get 429.',
  }),
  ...consoleVariables,
  SECURITY_CONTACT: Type.Optional(
    Type.String({
      pattern: '^(https://|mailto:|tel:)\\S+( (https://|mailto:|tel:)\\S+)*$',
      maxLength: 1000,
      description:
        'Where to report vulnerabilities: URIs with https, mailto or tel, the preferred one first, separated by spaces, such as `mailto:security@example.com`. They are served at /.well-known/security.txt, which is 404 when unset.',
    }),
  ),
  FILES_ORIGIN: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#\\s;,]+$',
      description:
        'Origin of the S3-compatible store as browsers see it; the console sends files to it. Unset: files are sent to the marketplace itself.',
    }),
  ),
})

export type IdentityConfig = Static<typeof identityVariables>
