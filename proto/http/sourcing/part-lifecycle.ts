import { Type } from '@sinclair/typebox'
import { PART } from '../../states/parts.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, ItemsOf, PageOf, pageQuery, Search } from '../shapes.ts'
import { verbsOf } from '../verbs.ts'
import { EXAMPLE_PART_ID, Part, PartInput, PartPatch, partId, partView } from './parts.ts'

export const partLifecycleTag = defineTag(
  'Part lifecycle',
  'Publishing, archiving, changing and deleting parts; reading several parts by id, or one by its serial number.',
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

export const findParts = defineOperation({
  id: 'findParts',
  method: 'GET',
  path: '/flows/v1/parts',
  tag: partLifecycleTag,
  summary: 'Find parts',
  description:
    'The list of `GET /v1/parts`, which also finds a part by its printed serial number: a `q` that is the serial number of a part that you can read returns only that part, in either view.',
  access: 'token',
  query: Type.Object({
    ...pageQuery,
    view: partView,
    q: Type.Optional(
      Search(
        'Case-insensitive: substring of title and external reference, or exact serial number of a part.',
        'P-7K2M9QXA',
      ),
    ),
  }),
  response: PageOf(Part),
})

export const patchPart = defineOperation({
  id: 'patchPart',
  method: 'PATCH',
  path: '/flows/v1/parts/{id}',
  tag: partLifecycleTag,
  summary: 'Change a part',
  description: `${PART.sentence('patch')} A part that has been published must keep the fields required for publication. Each change increments the revision. \`materialType\`, \`materialId\` and \`processId\` must fit together, as for a new part.`,
  transition: PART.verbs.patch,
  access: 'part:update',
  params: partId,
  body: PartPatch,
  response: Part,
  ifMatch: true,
  etag: true,
  refusals: ['illegal_transition'],
  audit: { procedure: 'part.patch', request: ['id', ...Object.keys(PartInput.properties)] },
})

const verb = verbsOf({
  name: 'part',
  table: PART,
  path: '/flows/v1/parts/{id}',
  tag: partLifecycleTag,
  params: partId,
  response: Part,
})

export const publishPart = defineOperation({
  ...verb('publish', {
    note: 'The part needs a title, and a material or a material type. From now on, every organization can read the part and its files; if it is `internal`, only subscribers by name and invited manufacturers can. Files of the group `ip` stay with the IP owner until it releases them for an order, `development` and `partDevelopment` always. Anyone who has the link of a public file can read it.',
  }),
  summary: 'Publish a part',
  access: 'part:publish',
  ifMatch: true,
})

export const archivePart = defineOperation({
  ...verb('archive', {
    note: 'The part is no longer listed in the view CONSUMER, and other organizations cannot publish new RFQs for it. Its IP owner, the manufacturers invited to its RFQs and the organizations of its orders can still read it.',
  }),
  summary: 'Archive a part',
  access: 'part:publish',
})

export const unarchivePart = defineOperation({
  ...verb('unarchive'),
  summary: 'Publish an archived part again',
  access: 'part:publish',
})

export const deletePart = defineOperation({
  id: 'deletePart',
  method: 'DELETE',
  path: '/flows/v1/parts/{id}',
  tag: partLifecycleTag,
  summary: 'Delete a part',
  description: `${PART.sentence('delete')} There must be no OPEN or CLOSED RFQ and no unfinished order for the part. The part, its files and its history can no longer be read, not even by its IP owner. Its RFQs, offers and orders stay, and so do the revisions that they pin.`,
  transition: PART.verbs.delete,
  access: 'part:delete',
  params: partId,
  status: 204,
  refusals: ['conflict'],
  audit: { procedure: 'part.delete', request: ['id'] },
})
