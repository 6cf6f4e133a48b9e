import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type AllConfig, allProblems, allVariables } from '../../services/all/config.ts'
import { readConfig } from '../../services/kit/config/read.ts'
import { migratorVariables } from '../../services/kit/migrate/variables.ts'
import { createSecretBox } from '../../services/kit/secrets/box.ts'
import { IMAGE } from '../lab/image/build.ts'
import { ROOT } from '../toolchain/checkout.ts'

interface ComposeService {
  image: string
  command: string[]
  environment: Record<string, string>
  user?: string
}

const text = await Bun.file(join(ROOT, 'charts', 'compose.yaml')).text()
/** As without a file of variables. */
const withDefaults = text.replace(/\$\{\w+:-([^}]*)\}/g, '$1')
const { services } = Bun.YAML.parse(withDefaults) as { services: Record<string, ComposeService> }
const serviceNamed = (name: string) => {
  const service = services[name]
  if (!service) throw new Error(`compose.yaml has no service ${name}`)
  return service
}

test('the services run the image of this version', () => {
  for (const name of ['marketplace', 'migrate', 'bootstrap']) expect(serviceNamed(name).image).toBe(IMAGE)
})

test('the settings of the services are valid, known, and none is the URL of the owner', async () => {
  const { environment } = serviceNamed('marketplace')
  const config = readConfig(allVariables, environment, (values) => allProblems(values as AllConfig))
  expect(Object.keys(environment).filter((name) => !(name in allVariables.properties))).toEqual([])
  expect(environment).not.toHaveProperty('DATABASE_URL')
  expect(await createSecretBox(config.ENCRYPTION_KEYS)).toBeDefined()
})

test('the settings of the migration are valid, and its passwords are those of the services', () => {
  const { environment } = serviceNamed('migrate')
  readConfig(migratorVariables, environment)
  for (const [name, value] of Object.entries(serviceNamed('marketplace').environment)) {
    const [, service] = /^(\w+)_DATABASE_URL$/.exec(name) ?? []
    if (service) expect(new URL(value).password).toBe(environment[`${service}_DATABASE_PASSWORD`] ?? '')
  }
})

test('only this machine reaches the published ports', () => {
  const ports = Object.values(Bun.YAML.parse(withDefaults) as Record<string, Record<string, { ports?: string[] }>>)
    .flatMap((section) => Object.values(section ?? {}))
    .flatMap((service) => service?.ports ?? [])
  expect(ports.length).toBeGreaterThan(0)
  expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
})
