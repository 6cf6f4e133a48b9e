import { expect, test } from 'bun:test'
import manifest from '../../package.json' with { type: 'json' }
import { billOfMaterials } from './bill-of-materials.ts'

interface Component {
  name: string
  group?: string
  version: string
  purl: string
  licenses?: unknown[]
}

const text = await billOfMaterials()
const components: Component[] = JSON.parse(text).components

test('the bill of materials has the packages that the services import, each with version and licence, and Bun', () => {
  const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
  expect(names).toEqual(expect.arrayContaining(['bun', 'elysia', 'nats', 'postgres', '@sinclair/typebox']))
  expect(components.filter(({ licenses }) => licenses?.length !== 1)).toEqual([])
  expect(components.filter(({ purl }) => !/^pkg:npm\/\S+@\d/.test(purl))).toEqual([])
})

test('the bill of materials has neither development packages nor the embedded Postgres', () => {
  const names = new Set(components.map(({ name }) => name))
  const absent = [...Object.keys(manifest.devDependencies), ...Object.keys(manifest.optionalDependencies)]
  expect(absent.filter((name) => names.has(name))).toEqual([])
})

test('two bills of materials are equal', async () => {
  expect(await billOfMaterials()).toBe(text)
})
