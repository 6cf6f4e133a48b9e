import { connect } from '../../kit/db/client.ts'
import { sweepUploads } from '../../sourcing/uploads/sweep.ts'
import { sweepObjects } from './silent-sweep.ts'
import { storageOf } from './storage-of.ts'

/** Sweeps at the time in NOW until it is killed. */
const { DATABASE_URL = '', FILES_FOLDER = '', NOW = '' } = process.env
const sql = connect(DATABASE_URL, { max: 2, applicationName: 'sweeper' })
const storage = storageOf({
  variables: { FILES_FOLDER },
  publicUrl: 'http://localhost:8080',
  encryptionKeys: `test:${Buffer.alloc(32, 7).toString('base64')}`,
})
const { signal } = new AbortController()
process.stdout.write('sweeping\n')
for (;;) {
  await sweepUploads(sql, new Date(NOW), signal)
  await sweepObjects({ sql, storage }, new Date(NOW))
}
