import { expect, test } from 'bun:test'
import { playable } from './manifests.ts'

const template = (name: string) => `
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: ${name}
          ports: [{ name: http, containerPort: 8080 }, { name: health, containerPort: 9090 }]`
const RENDERED = [
  'kind: ConfigMap\nmetadata: { name: settings }',
  `kind: Job\nmetadata: { name: bootstrap }\nspec:${template('operator')}`,
  `kind: Job\nmetadata: { name: migrate, annotations: { helm.sh/hook: pre-install } }\nspec:${template('migrate')}`,
  `kind: Deployment\nmetadata: { name: catalog }\nspec:\n  replicas: 2${template('catalog')}`,
  'kind: Ingress\nmetadata: { name: ingress }',
]

let next = 20_000
const played = playable(RENDERED.join('\n---\n'), () => next++)

test('a Job becomes a pod, and hooks come first', () => {
  expect(played.jobs.map(({ name, container }) => [name, container])).toEqual([
    ['migrate', 'migrate'],
    ['bootstrap', 'operator'],
  ])
})

test('each replica of a Deployment becomes a pod with ports of its own on the loopback interface', () => {
  expect(played.services.map(({ name, container, port }) => [name, container, port])).toEqual([
    ['catalog-0', 'catalog', 20_000],
    ['catalog-1', 'catalog', 20_002],
  ])
  expect(played.services[1]?.manifest).toMatchObject({
    kind: 'Pod',
    metadata: { labels: { app: 'catalog' } },
    spec: {
      containers: [
        {
          ports: [
            { containerPort: 8080, hostIP: '127.0.0.1', hostPort: 20_002 },
            { containerPort: 9090, hostIP: '127.0.0.1', hostPort: 20_003 },
          ],
        },
      ],
    },
  })
})
