import { expect, test } from 'bun:test'
import { S3Client, type S3Options } from './client.ts'
import { elementIn, elementsIn } from './xml.ts'

const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

/** The example of a presigned URL in Amazon's documentation of signature version 4. */
const EXAMPLE: S3Options = {
  endpoint: 'https://s3.amazonaws.com',
  publicEndpoint: 'https://s3.amazonaws.com',
  bucket: 'examplebucket',
  region: 'us-east-1',
  credentials: async () => KEY,
  addressing: 'virtual-host',
  clock: () => Date.parse('2013-05-24T00:00:00Z'),
}
const aDayLater = new Date('2013-05-25T00:00:00Z')
const get = { method: 'GET', key: 'test.txt' } as const

test('a presigned URL with a virtual host equals the documented example', async () => {
  const url = new URL(await new S3Client(EXAMPLE).presign(get, aDayLater))
  expect(url.host + url.pathname).toBe('examplebucket.s3.amazonaws.com/test.txt')
  expect(url.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

test('with path addressing the bucket is in the path, at the public endpoint', async () => {
  const client = new S3Client({ ...EXAMPLE, addressing: 'path', publicEndpoint: 'https://files.example.com:8443' })
  const url = new URL(await client.presign(get, aDayLater))
  expect(url.host + url.pathname).toBe('files.example.com:8443/examplebucket/test.txt')
})

test('a presigned PUT signs its headers and contains the session token', async () => {
  const client = new S3Client({ ...EXAMPLE, credentials: async () => ({ ...KEY, sessionToken: 'a token' }) })
  const url = new URL(await client.presign({ method: 'PUT', key: 'a', headers: { 'if-none-match': '*' } }, aDayLater))
  expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host;if-none-match')
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('a token')
  expect(url.search).not.toContain('+')
})

test('elements of an XML response are found and unescaped', () => {
  const xml = '<a><Upload><Key>x&amp;y</Key></Upload><Upload><Key>&quot;z&#34;</Key></Upload></a>'
  expect(elementsIn(xml, 'Upload').map((upload) => elementIn(upload, 'Key'))).toEqual(['x&y', '"z"'])
  expect(elementIn(xml, 'Code')).toBeUndefined()
})
