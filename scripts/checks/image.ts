import { findBuilder } from '../lab/image/builder.ts'
import { buildTwice, IMAGE } from '../lab/image/commands.ts'
import { buildLocalBase } from '../lab/image/local-base.ts'
import { USER } from '../lab/image/system.ts'
import { explain } from '../toolchain/command-error.ts'
import { run } from '../toolchain/run.ts'

const MAX_BYTES = 130_000_000

interface Inspected {
  Docker: { config: { User: string; Labels: Record<string, string> } }
}

/** What prevents a build on this machine, such as a missing program or missing privileges. */
async function obstacle(): Promise<string | undefined> {
  try {
    const builder = await findBuilder()
    if (builder.name !== 'buildah') return 'the check needs buildah'
    await buildLocalBase(builder)
  } catch (error) {
    return explain(error).split('\n')[0]
  }
}

async function problemsOfImage(): Promise<string[]> {
  await buildTwice({ local: true })
  const { code, output } = await run(['buildah', 'inspect', '--type', 'image', IMAGE])
  if (code !== 0) return [output]
  const { config }: Inspected['Docker'] = JSON.parse(output).Docker
  const bytes = await sizeOf()
  return [
    ...(config.User === `${USER}:${USER}` ? [] : [`The user of the image is ${config.User}.`]),
    ...(config.Labels['org.opencontainers.image.version'] ? [] : ['The image has no label of its version.']),
    ...(bytes < MAX_BYTES ? [] : [`The image has ${bytes} bytes, more than ${MAX_BYTES}.`]),
  ]
}

/** Buildah prints the size of all layers, such as 119 MB. */
async function sizeOf(): Promise<number> {
  const { output } = await run(['buildah', 'images', '--json', IMAGE])
  const [{ size }]: [{ size: string }] = JSON.parse(output)
  const [, megabytes] = /^([\d.]+) MB$/.exec(size) ?? []
  return megabytes === undefined ? Number.POSITIVE_INFINITY : Number(megabytes) * 1_000_000
}

const reason = await obstacle()
if (reason !== undefined) {
  console.log(`Not checked: ${reason}`)
  process.exit(0)
}
const problems = await problemsOfImage().catch((error) => [explain(error)])
for (const problem of problems) console.log(problem)
process.exit(problems.length === 0 ? 0 : 1)
