import { expect, test } from 'bun:test'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { ROOT } from '../../toolchain/checkout.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import type { Bases } from './commands.ts'

interface Component {
  name: string
  group?: string
  version: string
  purl: string
  type: string
  licenses?: unknown[]
  components?: Component[]
  pedigree?: { patches: { type: string; diff: { text: { content: string } } }[] }
}

const text = await billOfMaterials()
const componentsOf = (bill: string): Component[] => JSON.parse(bill).components
const components = componentsOf(text)

test('the bill of materials has the packages that the services import, each with version and licence, and Bun', () => {
  const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
  expect(names).toEqual(expect.arrayContaining(['bun', 'elysia', 'nats', 'postgres', '@sinclair/typebox']))
  const packages = components.filter(({ type }) => type !== 'container')
  expect(packages.filter(({ licenses }) => licenses?.length !== 1)).toEqual([])
  expect(packages.filter(({ purl }) => !/^pkg:npm\/\S+@\d/.test(purl))).toEqual([])
})

test('it has the API reference with the packages that its modules are built from', () => {
  const reference = components.find(({ purl }) => purl.startsWith('pkg:npm/%40scalar/api-reference@'))
  const bundled = reference?.components ?? []
  expect(bundled.map(({ name }) => name)).toEqual(expect.arrayContaining(['vue', 'highlight.js', 'zod']))
  expect(bundled.filter(({ licenses }) => licenses?.length !== 1)).toEqual([])
})

test('it names the patched driver, with its patch', async () => {
  const patch = await Bun.file(join(ROOT, 'services/kit/db/postgres@3.4.9.patch')).text()
  const patched = components.filter(({ pedigree }) => pedigree !== undefined)
  expect(patched.map(({ purl, pedigree }) => [purl, pedigree?.patches])).toEqual([
    ['pkg:npm/postgres@3.4.9', [{ type: 'unofficial', diff: { text: expect.objectContaining({ content: patch }) } }]],
  ])
})

test('it names the image from which the system comes: that of the build stage, or a base', async () => {
  const imagesOf = async (bases: Bases) =>
    componentsOf(await billOfMaterials(bases))
      .filter(({ type }) => type === 'container')
      .map(({ purl }) => purl)
  expect(await imagesOf({})).toEqual([
    expect.stringMatching(/^pkg:oci\/bun(@sha256:\w{64})?\?repository_url=docker\.io\/oven\/bun&tag=1\.4\.5-slim$/),
  ])
  expect(await imagesOf({ baseImage: 'registry.example.com:5000/base@sha256:0a1b' })).toEqual([
    'pkg:oci/base@sha256:0a1b?repository_url=registry.example.com:5000/base&tag=latest',
  ])
  expect(await imagesOf({ local: true })).toEqual([])
})

test('with the libraries of this machine it names their packages, where it has a database of Debian', async () => {
  const found = componentsOf(await billOfMaterials({ local: true })).filter(({ purl }) => purl.startsWith('pkg:deb/'))
  expect(found.map(({ name, version }) => [name, version])).toEqual(
    Bun.which('dpkg-query') ? [['libc6', expect.stringMatching(/^\d/)]] : [],
  )
})

test('the bill of materials has neither development packages nor the embedded Postgres', () => {
  const names = new Set(components.map(({ name }) => name))
  const absent = [...Object.keys(manifest.devDependencies), ...Object.keys(manifest.optionalDependencies)]
  expect(absent.filter((name) => names.has(name))).toEqual([])
})

test('two bills of materials are equal', async () => {
  expect(await billOfMaterials()).toBe(text)
})
