import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, ItemsOf } from '../shapes.ts'
import { EXAMPLE_PART_ID, Part, PartInput, PartPatch, partId } from './parts.ts'

export const partLifecycleTag = defineTag(
  'Part lifecycle',
  'Publication, archiving, change and deletion of parts; several parts by id.',
)

export const batchGetParts = defineOperation({
  id: 'batchGetParts',
  method: 'POST',
  path: '/flows/v1/parts:batch-get',
  tag: partLifecycleTag,
  summary: 'Get several parts by id',
  description: 'In the order of the request. Parts that the caller cannot read are omitted.',
  access: 'token',
  body: BatchOf('ids', [EXAMPLE_PART_ID]),
  response: ItemsOf(Part),
})

export const patchPart = defineOperation({
  id: 'patchPart',
  method: 'PATCH',
  path: '/flows/v1/parts/{id}',
  tag: partLifecycleTag,
  summary: 'Change a part',
  description:
    'In any state. A part that has been published must keep the fields required for publication. Each change increments the revision.',
  access: 'part:update',
  params: partId,
  body: PartPatch,
  response: Part,
  ifMatch: true,
  etag: true,
  refusals: ['illegal_transition', 'precondition_failed'],
  audit: { procedure: 'part.patch', request: ['id', ...Object.keys(PartInput.properties)] },
})

const transition = <const V extends 'publish' | 'archive' | 'unarchive'>(
  verb: V,
  summary: string,
  description: string,
) =>
  defineOperation({
    id: `${verb}Part`,
    method: 'POST',
    path: `/flows/v1/parts/{id}/${verb}`,
    tag: partLifecycleTag,
    summary,
    description,
    access: 'part:publish',
    params: partId,
    response: Part,
    etag: true,
    refusals: ['illegal_transition'],
    audit: { procedure: `part.${verb}`, request: ['id'] },
  })

export const publishPart = transition(
  'publish',
  'Publish a part',
  'From DRAFT. The part needs a title, and a material or a material type.',
)
export const archivePart = transition(
  'archive',
  'Archive a part',
  'From PUBLISHED. The part is no longer listed in the view CONSUMER, and other organizations publish no new RFQ for it. Its IP owner, the manufacturers that are invited to its RFQs and the organizations of its orders can still read it.',
)
export const unarchivePart = transition('unarchive', 'Publish an archived part again', 'From ARCHIVED to PUBLISHED.')

export const deletePart = defineOperation({
  id: 'deletePart',
  method: 'DELETE',
  path: '/flows/v1/parts/{id}',
  tag: partLifecycleTag,
  summary: 'Delete a part',
  description:
    'In any state, unless there is an OPEN RFQ or an unfinished order for the part. The part, its files and its history can no longer be read, by its IP owner either. Its RFQs, offers and orders stay.',
  access: 'part:delete',
  params: partId,
  status: 204,
  refusals: ['conflict'],
  audit: { procedure: 'part.delete', request: ['id'] },
})
