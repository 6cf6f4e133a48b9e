import { MAX_FILES_OF_A_PART } from '../../../proto/http/sourcing/files.ts'
import type { Account } from '../fixtures.ts'
import { createPart, recordKind } from '../records.ts'
import { createFile, openUpload, previewOf, readyFile, signedValues } from './files.ts'
import { withValue } from './inputs.ts'
import { makerOf, type OperationSample, unfit } from './operation-sample.ts'

const isIpOwner = ({ kind }: Account) => recordKind('draftPart').owners.includes(kind)

/** Uploads, files and imports. */
export const FILE_SAMPLES: Record<string, OperationSample> = {
  createUploadUrl: {
    // Another organization, because the sample uses up its limit of open uploads.
    by: 'otherOwner',
    conflict: async ({ market }, { orgId, userId }, input) => {
      await market.db.owner`
        insert into sourcing.uploads (id, org_id, user_id, name, public, created_at, expires_at)
        select 'upload_' || n, ${orgId}, ${userId}, 'a', false, now(), now() + interval '1 day'
        from generate_series(1, ${market.config.UPLOADS_OPEN_MAX}::int) n`
      return input
    },
  },
  putUpload: {
    references: { 'path.id': 'credential' },
    values: async (fixtures, account) => signedValues((await openUpload(fixtures, account)).uploadUrl, 'path.id'),
  },
  listPartFiles: { references: { 'path.id': ['draftPart', 'internalPart'] } },
  updatePartFiles: {
    // A file of another part is refused like one of another organization.
    references: {
      'path.id': unfit('draftPart', 400, 'file:write'),
      // A manufacturer can have uploads, but no parts.
      'body.add.0.uploadId': {
        record: 'upload',
        own: (account) => (!isIpOwner(account) && account.permissions.has('file:write') ? 404 : undefined),
      },
      'body.remove.0': unfit('partFile', 400, 'file:write'),
    },
    values: async (fixtures, account) => {
      const owner = await makerOf('draftPart', fixtures, account)
      const partId = await createPart(fixtures, owner)
      return { 'path.id': partId, 'body.remove': [await createFile(fixtures, owner, partId)] }
    },
    conflict: async (fixtures, account, input) =>
      withValue(input, 'body.add.0.uploadId', (await openUpload(fixtures, account)).id),
  },
  importPartFile: {
    references: { 'path.partId': 'draftPart' },
    // Nothing listens on this port, and tests send no requests to the internet.
    values: (_, { orgId }) => ({
      'body.sasUrl': `http://127.0.0.1:9/impeller.stl?sig=${orgId}-${crypto.randomUUID()}`,
    }),
    conflict: async (fixtures, account, input) => {
      const owner = await makerOf('draftPart', fixtures, account)
      const partId = await createPart(fixtures, owner)
      for (let n = 0; n < MAX_FILES_OF_A_PART; n++) await createFile(fixtures, owner, partId)
      return withValue(input, 'path.partId', partId)
    },
  },
  getImport: { references: { 'path.fileId': 'importedFile' } },
  getFileObject: {
    references: { 'path.key': 'credential' },
    values: async (fixtures, account) => {
      const { downloadUrl = '' } = await readyFile(fixtures, account, await createPart(fixtures, account))
      return signedValues(downloadUrl, 'path.key')
    },
  },
  getPreview: {
    references: { 'path.key': 'credential' },
    values: async (fixtures, account) => {
      const preview = await previewOf(fixtures, account, await createPart(fixtures, account))
      return signedValues(preview.url, 'path.key')
    },
  },
  getPublicFile: {
    references: { 'path.id': 'shared' },
    values: async (fixtures, account) => {
      const { id } = await readyFile(fixtures, account, await createPart(fixtures, account), true)
      return { 'path.id': id }
    },
  },
}
