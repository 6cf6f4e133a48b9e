import { type Static, Type } from '@sinclair/typebox'
import { crudOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, Id } from '../shapes.ts'
import { MAX_AWARDS, orders, purchaseOrderNumber, quantity, sellerFeePercent, sellerOrgId } from './awards.ts'
import { Amendment, Cancellation, Extension } from './rfq-lifecycle.ts'
import { MAX_PACKAGE_INVITATIONS, packageId, packagesTag, path, RfqPackage, RfqPackageInput } from './rfq-packages.ts'

/** The fields of a package that the audit log has. */
const { lines: _, ...INPUT } = RfqPackageInput.properties

const ALL_OR_NOTHING =
  'All lines change in one transaction: if one is refused, `errors` name each refused line (`lines.3.expireTime`), `detail` its RFQ, and nothing changes.'

export const RfqPackagePatch = Type.Partial(Type.Pick(RfqPackageInput, ['title']), {
  additionalProperties: false,
  description: 'Changes the fields that are sent.',
  examples: [{ title: 'Pump overhaul, autumn 2031' }],
})

const crud = crudOf({
  name: 'rfqPackage',
  path,
  tag: packagesTag,
  access: { read: 'token', write: 'rfq:create' },
  params: packageId,
  input: RfqPackageInput,
  patch: RfqPackagePatch,
  response: RfqPackage,
  idName: 'packageId',
  logged: { create: ['lines', ...Object.keys(INPUT)], patch: ['title'] },
})

export const createRfqPackage = defineOperation({
  ...crud.create,
  summary: 'Create an RFQ package',
  description: `Creates a DRAFT RFQ for each line, with your organization as consumer. A line can be changed, or deleted, by the verbs of its RFQ; its currency stays that of the package. All lines together have at most ${MAX_PACKAGE_INVITATIONS} invitations.`,
  refusals: ['subscription_required'],
})

export const patchRfqPackage = defineOperation({
  ...crud.patch,
  summary: 'Change the title of an RFQ package',
  description: 'By the consumer, while every line is DRAFT.',
  etag: true,
  refusals: ['illegal_transition'],
})

export const deleteRfqPackage = defineOperation({
  ...crud.delete,
  summary: 'Delete an RFQ package',
  description: 'By the consumer, while every line is DRAFT. Also deletes its RFQs.',
  refusals: ['illegal_transition'],
})

const verb = <const Verb extends string>(name: Verb, description: string, logged: readonly string[] = []) => ({
  method: 'POST' as const,
  path: `${path}/{id}/${name}`,
  tag: packagesTag,
  description: `${description} ${ALL_OR_NOTHING}`,
  params: packageId,
  response: RfqPackage,
  etag: true,
  refusals: ['illegal_transition', 'subscription_required'] as const,
  audit: { procedure: `rfqPackage.${name}` as const, request: ['id', ...logged] },
})

export const publishRfqPackage = defineOperation({
  ...verb(
    'publish',
    'By the consumer: publishes each line in DRAFT, as `publish` of its RFQ does. Lines that are published already stay as they are. Each invited manufacturer gets one e-mail.',
  ),
  id: 'publishRfqPackage',
  summary: 'Publish an RFQ package',
  access: 'rfq:publish',
  ifMatch: true,
  refusals: ['illegal_transition', 'limit_reached', 'subscription_required'],
})

export const extendRfqPackage = defineOperation({
  ...verb(
    'extend',
    'By the consumer: extends each line that is not AWARDED or CANCELLED. Each must be OPEN and expire earlier than the new expiry.',
    ['expireTime'],
  ),
  id: 'extendRfqPackage',
  summary: 'Extend an RFQ package',
  access: 'rfq:publish',
  body: Extension,
  refusals: ['illegal_transition'],
})

const { quantities: _quantities, files: _files, ...COMMON_AMENDMENT } = Amendment.properties

export const PackageAmendment = closed(COMMON_AMENDMENT)

export const amendRfqPackage = defineOperation({
  ...verb(
    'amend',
    'By the consumer: amends each line that is not AWARDED or CANCELLED, as `amend` of its RFQ does. Each must be OPEN. Each invited manufacturer gets one e-mail.',
    Object.keys(COMMON_AMENDMENT),
  ),
  id: 'amendRfqPackage',
  summary: 'Amend the common terms of an RFQ package',
  refusals: ['illegal_transition', 'limit_reached', 'subscription_required'],
  access: 'rfq:publish',
  body: PackageAmendment,
})

export const closeRfqPackage = defineOperation({
  ...verb(
    'close',
    'By the consumer: closes each line that is OPEN. Lines that are CLOSED, AWARDED or CANCELLED stay as they are; none may be DRAFT.',
  ),
  id: 'closeRfqPackage',
  summary: 'Close an RFQ package',
  access: 'rfq:publish',
  refusals: ['illegal_transition'],
})

export const cancelRfqPackage = defineOperation({
  ...verb('cancel', 'By the consumer: cancels each line that is not AWARDED or CANCELLED.', ['reason']),
  id: 'cancelRfqPackage',
  summary: 'Cancel an RFQ package',
  access: 'rfq:cancel',
  body: Cancellation,
  refusals: ['illegal_transition'],
})

export const AwardedRfqPackage = closed(
  { ...RfqPackage.properties, orders },
  { description: 'The package, with the orders that were placed.' },
)
export type AwardedRfqPackage = Static<typeof AwardedRfqPackage>

export const awardRfqPackage = defineOperation({
  ...verb(
    'award',
    'By the consumer: awards each RFQ that the request names, as `award` of the RFQ does; several offers for one RFQ are allowed. Other lines stay as they are. Problems name the award (`awards.3.quantity`).',
    ['awards', 'sellerOrgId', 'sellerFeePercent', 'orderIds'],
  ),
  id: 'awardRfqPackage',
  summary: 'Award an RFQ package',
  access: 'rfq:award',
  body: closed({
    awards: Type.Array(
      closed({
        rfqId: Id('RFQ of a line.', 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
        offerId: Id('Submitted offer for this RFQ.', 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'),
        quantity,
        purchaseOrderNumber,
      }),
      {
        minItems: 1,
        maxItems: 2 * MAX_AWARDS,
        description: 'Offers to be accepted, each once.',
        examples: [
          [{ rfqId: 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', offerId: 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', quantity: 10 }],
        ],
      },
    ),
    sellerOrgId,
    sellerFeePercent,
  }),
  response: AwardedRfqPackage,
  refusals: ['illegal_transition', 'limit_reached'],
})

export const acceptRfqPackageTerms = defineOperation({
  ...verb(
    'accept-terms',
    'By an invited manufacturer: accepts the confidentiality terms of each of its lines that is OPEN, as `accept-terms` of the RFQ does.',
  ),
  id: 'acceptRfqPackageTerms',
  summary: "Accept the confidentiality terms of a package's RFQs",
  access: 'offer:create',
  refusals: ['illegal_transition'],
  audit: { procedure: 'rfqPackage.acceptTerms', request: ['id'] },
})
