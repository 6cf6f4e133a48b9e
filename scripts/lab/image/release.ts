import { VERSION } from '../../../services/kit/config/version.ts'
import { succeeds } from '../../toolchain/installation.ts'
import { writeBillOfMaterials } from './bill-of-materials.ts'
import { findBuilder, mustRun } from './builder.ts'
import { type Bases, buildImage, IMAGE } from './commands.ts'

interface Release extends Bases {
  /** Key of cosign. */
  key?: string
}

/** Builds, pushes and signs the image of this checkout. The digest that it prints is a value of the chart. */
export async function release(repository: string, { key, ...bases }: Release): Promise<void> {
  const builder = await findBuilder()
  await buildImage(bases)
  const bill = await writeBillOfMaterials(`marketplace-${VERSION}.cdx.json`, bases)
  const image = `${repository}@${await builder.push(IMAGE, `${repository}:${VERSION}`)}`
  console.log(`Pushed: ${image}`)
  if (!(await succeeds(['cosign', 'version']))) {
    console.log('Not signed: install cosign, and release again.')
    return
  }
  const keys = key === undefined ? [] : ['--key', key]
  await mustRun(['cosign', 'sign', '--yes', ...keys, image])
  await mustRun(['cosign', 'attest', '--yes', ...keys, '--type', 'cyclonedx', '--predicate', bill, image])
  console.log(`Signed: ${image}, with its bill of materials`)
}
