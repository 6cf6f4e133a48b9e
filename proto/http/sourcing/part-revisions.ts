import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../crud.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, Int32, ItemsOf, OneOf } from '../shapes.ts'
import { File } from './files.ts'
import { partLifecycleTag } from './part-lifecycle.ts'
import { Part, partId } from './parts.ts'

/** Maximum number of records that a pinned revision lists. */
export const MAX_LISTED_PINS = 20

const revision = {
  revision: Int32('Number of the revision.', 3, { minimum: 1 }),
}

const Pin = closed(
  {
    type: OneOf(['RFQ', 'ORDER'], { description: 'Kind of the record.', examples: ['RFQ'] }),
    id: Type.String({ description: 'Id of the record.', examples: ['rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    serialNumber: Type.String({ description: 'Serial number of the record.', examples: ['R-7K2M9QXA'] }),
  },
  { description: 'A record that pins the revision.' },
)

export const PinnedRevision = closed({
  ...revision,
  pinnedTime: DateTime('When an RFQ first pinned the revision.'),
  pinCount: Int32('Number of RFQs and orders that pin it.', 2, { minimum: 0 }),
  pins: Type.Array(Pin, { description: `The newest of these records, at most ${MAX_LISTED_PINS} of each kind.` }),
})
export type PinnedRevision = Static<typeof PinnedRevision>

export const listPartRevisions = defineOperation({
  ...listOf(PinnedRevision),
  id: 'listPartRevisions',
  path: '/flows/v1/parts/{id}/revisions',
  tag: partLifecycleTag,
  summary: "List a part's pinned revisions",
  description:
    'Newest first, for the IP owner. Publishing or amending an RFQ pins the revision of its part: content and list of files are kept while an RFQ or order needs them.',
  access: 'token',
  params: partId,
})

const params = Type.Object({
  ...partId.properties,
  revision: Type.String({ description: 'Number of the revision.', examples: ['3'] }),
})

const READERS =
  'For the IP owner, and for each organization that may read the part because of an RFQ or order that pins this revision. `state` and `internal` are current.'

export const getPartRevision = defineOperation({
  id: 'getPartRevision',
  method: 'GET',
  path: '/flows/v1/parts/{id}/revisions/{revision}',
  tag: partLifecycleTag,
  summary: 'Get a pinned revision of a part',
  description: READERS,
  access: 'token',
  params,
  response: Part,
  etag: true,
})

export const listPartRevisionFiles = defineOperation({
  id: 'listPartRevisionFiles',
  method: 'GET',
  path: '/flows/v1/parts/{id}/revisions/{revision}/files',
  tag: partLifecycleTag,
  summary: 'List the files of a pinned revision',
  description: `Newest first, with the groups that your organization may read. ${READERS}`,
  access: 'token',
  params,
  response: ItemsOf(File),
  noStore: true,
})
