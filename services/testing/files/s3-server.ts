import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3StorageOptions } from '../../sourcing/files/storage/s3/store.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'

interface S3Server {
  endpoint: string
  /** Environment variables of a service that uses it. The bucket exists. */
  variables: Record<string, string>
  start(): Promise<void>
  kill(): Promise<void>
  close(): Promise<void>
}

const BUCKET = 'files'
const [ACCESS_KEY, SECRET_KEY] = ['test-access-key', 'test-secret-key']

/** A real S3 server. Its data survives `kill` and `start`. With a certificate it speaks TLS. */
export async function s3Server(tls?: { cert: string; key: string }): Promise<S3Server> {
  const program = process.env.TEST_S3_SERVER
  if (!program) throw new Error('Run the tests with ./scripts/test, which installs the S3 server.')
  const folder = await mkdtemp(join(tmpdir(), 's3-'))
  const [data, sidecar] = [join(folder, 'data'), join(folder, 'sidecar')]
  // Metadata is kept in a sidecar folder, because not every file system has extended attributes.
  await mkdir(join(data, BUCKET), { recursive: true })
  await mkdir(sidecar)
  const address = `127.0.0.1:${freePort()}`
  const endpoint = `http${tls ? 's' : ''}://${address}`
  const certificate = tls ? await writeCertificate(folder, tls) : []
  let child: Bun.Subprocess | undefined

  const start = async () => {
    const settings = ['--port', address, '--access', ACCESS_KEY, '--secret', SECRET_KEY, '--quiet', ...certificate]
    child = Bun.spawn([program, ...settings, 'posix', '--sidecar', sidecar, data], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until(() => fetch(endpoint, { tls: { rejectUnauthorized: false } }).catch(() => undefined), {
      what: 'the S3 server',
    })
  }
  const kill = async () => {
    child?.kill('SIGKILL')
    await child?.exited
  }
  await start()
  return {
    endpoint,
    variables: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: ACCESS_KEY,
      S3_SECRET_ACCESS_KEY: SECRET_KEY,
    },
    start,
    kill,
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function writeCertificate(folder: string, { cert, key }: { cert: string; key: string }): Promise<string[]> {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await Promise.all([Bun.write(certFile, cert), Bun.write(keyFile, key)])
  return ['--cert', certFile, '--key', keyFile]
}

/** For a test server that accepts every signature. */
export const s3OptionsAt = (port: number | undefined): S3StorageOptions => ({
  endpoint: `http://127.0.0.1:${port}`,
  publicEndpoint: `http://127.0.0.1:${port}`,
  bucket: 'files',
  region: 'us-east-1',
  credentials: async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }),
  addressing: 'path',
  conditionalPut: true,
  clock: Date.now,
})
