import { join, resolve } from 'node:path'
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import parseExpression from 'spdx-expression-parse'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../toolchain/checkout.ts'
import { packagesOf, reachedModules } from './modules.ts'

const components = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(parseExpression),
)

/** The product, the packages in its image and Bun, as CycloneDX in JSON. A base image has a bill of its own. */
export async function billOfMaterials(): Promise<string> {
  const product = componentOf(manifest, Enums.ComponentType.Application)
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: product }) })
  for (const folder of packagesOf(await reachedModules())) {
    bom.components.add(componentOf(await Bun.file(join(ROOT, folder, 'package.json')).json()))
  }
  const bun = { name: 'bun', version: Bun.version, license: 'MIT', homepage: 'https://bun.com' }
  bom.components.add(componentOf(bun, Enums.ComponentType.Platform))
  for (const { bomRef } of bom.components) product.dependencies.add(bomRef)
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return `${new Serialize.JsonSerializer(normalizers).serialize(bom, { sortLists: true, space: 1 })}\n`
}

function componentOf(data: { name: string; version: string }, type = Enums.ComponentType.Library): Models.Component {
  const component = components.makeComponent(data, type)
  if (component === undefined) throw new Error(`${data.name} has no component.`)
  const path = [component.group, component.name].filter((part) => part !== undefined).join('/')
  component.purl = `pkg:npm/${path.replace('@', '%40')}@${data.version}`
  component.bomRef.value = component.purl
  return component
}

/** Writes it to a file of the caller, and returns the path. */
export async function writeBillOfMaterials(file: string): Promise<string> {
  const path = resolve(process.env.INVOKED_FROM ?? '', file)
  await Bun.write(path, await billOfMaterials())
  console.log(`Written: ${path}`)
  return path
}
