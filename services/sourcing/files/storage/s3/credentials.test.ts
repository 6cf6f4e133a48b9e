import { afterAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { platformCredentials, renewed } from './credentials.ts'

const folder = await mkdtemp(join(tmpdir(), 'identity-'))
afterAll(() => rm(folder, { recursive: true }))
const tokenFile = join(folder, 'token')
await Bun.write(tokenFile, 'a-token')

/** What AWS documents as the answers of STS and of the agent of EKS Pod Identity. */
const STS_ANSWER = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult><Credentials>
    <AccessKeyId>ASIA_OF_ROLE</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>session</SessionToken>
    <Expiration>2100-01-01T00:00:00Z</Expiration>
  </Credentials></AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`
const AGENT_ANSWER = {
  AccessKeyId: 'ASIA_OF_POD',
  SecretAccessKey: 'secret',
  Token: 'session',
  Expiration: '2100-01-01T00:00:00Z',
}
const received: string[] = []
const platform = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    if (request.method === 'POST') {
      const form = new URLSearchParams(await request.text())
      received.push(`${form.get('Action')} ${form.get('RoleArn')} ${form.get('WebIdentityToken')}`)
      return new Response(STS_ANSWER, { headers: { 'content-type': 'text/xml' } })
    }
    received.push(`${new URL(request.url).pathname} ${request.headers.get('authorization')}`)
    return Response.json(AGENT_ANSWER)
  },
})
afterAll(() => platform.stop(true))

test('IAM roles for service accounts: STS gives an access key for the token of the pod', async () => {
  const roleArn = 'arn:aws:iam::111122223333:role/marketplace'
  const identity = { roleArn, webIdentityTokenFile: tokenFile, stsEndpoint: platform.url.origin }
  const credentials = platformCredentials(identity, 'eu-north-1')
  expect(await credentials()).toMatchObject({ accessKeyId: 'ASIA_OF_ROLE', sessionToken: 'session' })
  await credentials()
  expect(received).toEqual([`AssumeRoleWithWebIdentity ${roleArn} a-token`])
})

test('EKS Pod Identity: the agent gives an access key for the token of the pod', async () => {
  received.length = 0
  const identity = {
    containerCredentialsUri: `${platform.url.origin}/v1/credentials`,
    containerTokenFile: tokenFile,
  }
  expect(await platformCredentials(identity, 'eu-north-1')()).toMatchObject({
    accessKeyId: 'ASIA_OF_POD',
    secretAccessKey: 'secret',
    sessionToken: 'session',
  })
  expect(received).toEqual(['/v1/credentials a-token'])
})

test('an access key is renewed before its end, once for concurrent requests, and kept while none can be had', async () => {
  let nowMs = 0
  let calls = 0
  let isDown = false
  const credentials = renewed(
    async () => {
      calls++
      if (isDown) throw new Error('no answer')
      return { accessKeyId: `key ${calls}`, secretAccessKey: '', expiration: new Date(nowMs + 3_600_000) }
    },
    () => nowMs,
  )
  const keyId = async () => (await credentials()).accessKeyId
  expect(await Promise.all([keyId(), keyId()])).toEqual(['key 1', 'key 1'])
  nowMs = 2_399_000
  expect(await keyId()).toBe('key 1')
  nowMs = 2_401_000
  expect(await keyId()).toBe('key 2')
  nowMs += 2_401_000
  isDown = true
  expect(await keyId()).toBe('key 2')
  nowMs += 3_600_000
  await expect(credentials()).rejects.toThrow('no answer')
})
