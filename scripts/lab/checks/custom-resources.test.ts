import { describe, expect, test } from 'bun:test'
import { violationsOf } from './custom-resources.ts'

const definition = {
  spec: {
    group: 'example.com',
    names: { kind: 'Lathe' },
    versions: [
      {
        name: 'v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                properties: {
                  axes: { type: 'integer', maximum: 9 },
                  tools: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
                  extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: {} },
                },
              },
            },
          },
        },
      },
    ],
  },
}
const lathe = (spec: unknown, apiVersion = 'example.com/v1') =>
  violationsOf({ apiVersion, kind: 'Lathe', metadata: { name: 'one' }, ...{ spec } }, [definition])

describe('a custom resource', () => {
  test('that matches its definition has no violation', () => {
    expect(lathe({ axes: 5, tools: [{ name: 'drill' }], extra: { any: 1 } })).toEqual([])
  })

  test.each([
    [{ axes: 'five' }, '/spec/axes must be integer'],
    [{ axes: 10 }, '/spec/axes must be <= 9'],
    [{ axis: 5 }, '/spec must NOT have additional properties {"additionalProperty":"axis"}'],
    [{ tools: [{ title: 'drill' }] }, '/spec/tools/0 must NOT have additional properties'],
    [undefined, "/ must have required property 'spec'"],
  ])('%j violates it', (spec, message) => {
    expect(lathe(spec)[0]).toStartWith(message)
  })

  test('of another version has no definition', () => {
    expect(lathe({}, 'example.com/v2')).toEqual(['no definition of example.com/v2 Lathe'])
  })
})
