import { basename, join, resolve } from 'node:path'
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import parseExpression from 'spdx-expression-parse'
import manifest from '../../../package.json' with { type: 'json' }
import { ROOT } from '../../toolchain/checkout.ts'
import { LICENCES_FILE, listedPackages } from '../../toolchain/reference-packages.ts'
import type { Bases } from './commands.ts'
import { packagesOf, reachedModules } from './modules.ts'
import { systemPackages } from './system.ts'

const components = new Contrib.FromNodePackageJson.Builders.ComponentBuilder(
  new Contrib.FromNodePackageJson.Factories.ExternalReferenceFactory(),
  new Contrib.License.Factories.LicenseFactory(parseExpression),
)

/**
 * The product, the packages in its image, those that the modules of the API reference contain, Bun, and what the image
 * has of a system, as CycloneDX in JSON.
 */
export async function billOfMaterials(bases: Bases = {}): Promise<string> {
  const product = componentOf(manifest, Enums.ComponentType.Application)
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: product }) })
  for (const folder of packagesOf(await reachedModules())) {
    bom.components.add(componentOf(await Bun.file(join(ROOT, folder, 'package.json')).json()))
  }
  bom.components.add(await apiReference())
  const bun = { name: 'bun', version: Bun.version, license: 'MIT', homepage: 'https://bun.com' }
  bom.components.add(componentOf(bun, Enums.ComponentType.Platform))
  for (const component of await systemComponents(bases)) bom.components.add(component)
  for (const { bomRef } of bom.components) product.dependencies.add(bomRef)
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  const text = new Serialize.JsonSerializer(normalizers).serialize(bom, { sortLists: true })
  return `${JSON.stringify(await withPatches(JSON.parse(text)), undefined, 1)}\n`
}

interface Manifest {
  name: string
  version: string
  license?: string
}

/** Its browser modules, with the packages that they are built from. */
async function apiReference(): Promise<Models.Component> {
  const { name, version, license } = await Bun.file(join(ROOT, 'node_modules', '.api-reference', 'package.json')).json()
  const reference = componentOf({ name, version, license })
  for (const bundled of listedPackages(await Bun.file(join(ROOT, LICENCES_FILE)).text())) {
    if (bundled.name === name) continue
    const component = componentOf(bundled)
    component.bomRef.value = `${reference.purl}/${component.purl}`
    reference.components.add(component)
  }
  return reference
}

/**
 * A base, or the image of the build stage, from which the libraries that Bun links come. With the libraries of this
 * machine: their packages. The packages of another build stage are in the image, in `/var/lib/dpkg/status.d`.
 */
async function systemComponents({ baseImage, bunImage, local }: Bases): Promise<Models.Component[]> {
  if (baseImage === undefined && local) {
    return (await systemPackages()).map(({ name, version, distribution }) => {
      const purl = `pkg:deb/${distribution}/${name}@${encodeURIComponent(version)}`
      return new Models.Component(Enums.ComponentType.Library, name, { bomRef: purl, purl, version })
    })
  }
  const [, stage = ''] = /^ARG BUN_IMAGE=(\S+)$/m.exec(await Bun.file(join(ROOT, 'Dockerfile')).text()) ?? []
  const image = baseImage ?? bunImage ?? stage
  const [, repository = '', tag = 'latest', digest] = /^([^@]+?)(?::([\w.-]+))?(?:@(.+))?$/.exec(image) ?? []
  const purl = `pkg:oci/${basename(repository)}${digest ? `@${digest}` : ''}?repository_url=${repository}&tag=${tag}`
  const version = digest ?? tag
  return [new Models.Component(Enums.ComponentType.Container, repository, { bomRef: purl, purl, version })]
}

interface Patched {
  components: { name: string; version: string; pedigree?: object }[]
}

/** The patches of the manifest, which the models of the library lack. */
async function withPatches<B extends Patched>(bom: B): Promise<B> {
  for (const [id, path] of Object.entries(manifest.patchedDependencies)) {
    const content = await Bun.file(join(ROOT, path)).text()
    const patched = bom.components.find(({ name, version }) => `${name}@${version}` === id)
    if (!patched) throw new Error(`${id} is patched, but not in the image.`)
    const diff = { text: { contentType: 'text/x-diff', content } }
    patched.pedigree = { patches: [{ type: 'unofficial', diff }], notes: `Patched: ${path}` }
  }
  return bom
}

function componentOf(data: Manifest, type = Enums.ComponentType.Library): Models.Component {
  const component = components.makeComponent(data, type)
  if (component === undefined) throw new Error(`${data.name} has no component.`)
  const path = [component.group, component.name].filter((part) => part !== undefined).join('/')
  component.purl = `pkg:npm/${path.replace('@', '%40')}@${data.version}`
  component.bomRef.value = component.purl
  return component
}

/** Writes it to a file of the caller, and returns the path. */
export async function writeBillOfMaterials(file: string, bases: Bases = {}): Promise<string> {
  const path = resolve(process.env.INVOKED_FROM ?? '', file)
  await Bun.write(path, await billOfMaterials(bases))
  console.log(`Written: ${path}`)
  return path
}
