import { VERSION } from '../../../services/kit/config/version.ts'
import { ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { run } from '../../toolchain/run.ts'
import { buildServedClients } from '../../toolchain/served-clients.ts'
import { type Builder, findBuilder } from './builder.ts'
import { buildLocalBase } from './local-base.ts'

export interface Bases {
  bunImage?: string
  baseImage?: string
  local?: boolean
}

export const IMAGE = `localhost/marketplace:${VERSION}`

export async function buildImage(bases: Bases): Promise<void> {
  console.log(`${IMAGE} ${await build(await findBuilder(), bases)}`)
}

export async function verifyImage(bases: Bases): Promise<void> {
  console.log(`Two builds are equal: ${await buildTwice(bases)}`)
}

/** Builds twice, without a cache, and compares the digests. */
export async function buildTwice(bases: Bases): Promise<string> {
  const builder = await findBuilder()
  const [first, second] = [await build(builder, bases), await build(builder, bases)]
  if (first !== second) throw new CommandError(`Two builds differ: ${first} and ${second}.`)
  return first
}

async function build(builder: Builder, { bunImage, baseImage, local = false }: Bases): Promise<string> {
  if (local && bunImage !== undefined) throw new CommandError('Name either --local or --bun-image.')
  const stage = local ? await buildLocalBase(builder) : bunImage
  // The build stage has neither Python nor the packages of development.
  await buildServedClients(console.log)
  const { revision, timestamp } = await commit()
  return builder.build({
    name: IMAGE,
    timestamp,
    arguments: {
      VERSION,
      REVISION: revision,
      CREATED: new Date(timestamp * 1000).toISOString(),
      ...(stage === undefined ? {} : { BUN_IMAGE: stage }),
      ...(baseImage === undefined ? {} : { BASE_IMAGE: baseImage }),
    },
  })
}

/** The commit of the checkout dates the image, so that every build of it is the same. Without Git it is 1970. */
async function commit(): Promise<{ revision: string; timestamp: number }> {
  const { code, output } = await run(['git', 'log', '-1', '--format=%H %ct'], { cwd: ROOT })
  const [revision = 'unknown', seconds = '0'] = code === 0 ? output.trim().split(' ') : []
  return { revision, timestamp: Number(seconds) }
}
