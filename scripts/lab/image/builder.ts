import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { succeeds } from '../../toolchain/installation.ts'
import { run, tail } from '../../toolchain/run.ts'

export interface Build {
  /** Name of the image, with a tag. */
  name: string
  arguments: Readonly<Record<string, string>>
  /** The time of all files and of the image, in seconds since 1970. */
  timestamp: number
  /** The folder with the files; default: the checkout. */
  context?: string
}

/** A program that builds images, with the options that make two builds equal. */
export interface Builder {
  name: 'buildah' | 'podman' | 'docker'
  /** Returns the id of the image, the digest of its configuration. */
  build(build: Build): Promise<string>
  /** Pushes an image under another name and returns the digest of its manifest. */
  push(name: string, target: string): Promise<string>
}

const BUILDERS = [
  { name: 'buildah', works: ['buildah', '--version'] },
  { name: 'podman', works: ['podman', '--version'] },
  { name: 'docker', works: ['docker', 'buildx', 'ls'] },
] as const

/** The first program that is installed and, for docker, has a builder. */
export async function findBuilder(): Promise<Builder> {
  for (const { name, works } of BUILDERS) {
    if (await succeeds([...works])) {
      return {
        name,
        build: (build) => withFile((file) => [...buildCommand(name, build), '--iidfile', file, build.context ?? ROOT]),
        push: (image, target) =>
          name === 'docker'
            ? pushWithDocker(image, target)
            : withFile((file) => [name, 'push', '--digestfile', file, image, `docker://${target}`]),
      }
    }
  }
  throw new CommandError('The image is built by buildah, podman or docker with buildx: install one of them.')
}

/** Runs a command that writes its result to a file. */
async function withFile(commandFor: (file: string) => string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'image-'))
  try {
    const file = join(folder, 'result')
    await mustRun(commandFor(file))
    return (await readFile(file, 'utf8')).trim()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function pushWithDocker(image: string, target: string): Promise<string> {
  await mustRun(['docker', 'tag', image, target])
  await mustRun(['docker', 'push', target])
  const format = '{{.Manifest.Digest}}'
  return (await mustRun(['docker', 'buildx', 'imagetools', 'inspect', target, '--format', format])).trim()
}

function buildCommand(name: Builder['name'], { name: tag, arguments: values, timestamp }: Build): string[] {
  const own =
    name === 'docker'
      ? [
          ...['docker', 'buildx', 'build', '--provenance=false', '--output', 'type=docker,rewrite-timestamp=true'],
          ...['--build-arg', `SOURCE_DATE_EPOCH=${timestamp}`],
        ]
      : // Without privileges, as in continuous integration. The build runs only programs of this repository.
        [name, 'build', '--isolation', 'chroot', '--timestamp', String(timestamp)]
  const secret = join(homedir(), '.npmrc')
  return [
    ...own,
    ...['--tag', tag],
    ...Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`]),
    ...(Bun.file(secret).size > 0 ? ['--secret', `id=npmrc,src=${secret}`] : []),
  ]
}

/** Runs a command that must succeed, and returns its output. */
export async function mustRun(command: string[]): Promise<string> {
  const { code, output } = await run(command)
  if (code !== 0 && /pinging container registry|failed to resolve source metadata/.test(output)) {
    throw new CommandError(
      'The registry of images does not answer: name another image with --bun-image, or build with --local.',
    )
  }
  if (code !== 0) throw new CommandError(`${command.slice(0, 2).join(' ')} failed:\n${tail(output, 40)}`)
  return output
}
