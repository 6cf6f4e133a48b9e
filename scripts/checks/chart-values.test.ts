import { expect, test } from 'bun:test'
import { undocumentedValues } from './chart-values.ts'

const VALUES = `
config:
  registration: closed
  previews: { enabled: true }
replicas: 2
probe: { periodSeconds: 5 }
`
const README = `
| Key | Type | Default | Description |
|-----|------|---------|-------------|
| config.previews.enabled | bool | \`true\` | Whether models are pictured. |
| probe | object | \`{"periodSeconds":5}\` | Of every service. |
`

test('a value is documented by a row of its own or of a map around it', () => {
  expect(undocumentedValues(VALUES, README)).toEqual(['config.registration', 'replicas'])
  expect(undocumentedValues('probe: { periodSeconds: 5 }', README)).toEqual([])
})
