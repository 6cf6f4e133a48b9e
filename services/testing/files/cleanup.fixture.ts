import { connect } from '../../kit/db/client.ts'
import { cleanUpUploads } from '../../sourcing/files/uploads/cleanup.ts'
import { cleanUpObjects, storageOf } from './storage-of.ts'

/** Runs the cleanup at the time in NOW until it is killed. */
const { DATABASE_URL = '', FILES_FOLDER = '', NOW = '' } = process.env
const sql = connect(DATABASE_URL, { max: 2, applicationName: 'cleanup' })
const storage = storageOf({
  variables: { FILES_FOLDER },
  publicUrl: 'http://localhost:8080',
  encryptionKeys: `test:${Buffer.alloc(32, 7).toString('base64')}`,
})
const { signal } = new AbortController()
process.stdout.write('cleaning\n')
for (;;) {
  await cleanUpUploads(sql, NOW, signal)
  await cleanUpObjects({ sql, storage }, new Date(NOW))
}
