import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { marketplaceOf } from '../../../services/testing/marketplace.ts'
import { CACHE, ROOT } from '../../toolchain/checkout.ts'
import { findGo, goInstall, install, pipInstall } from '../../toolchain/installation.ts'
import { run } from '../../toolchain/run.ts'
import { GENERATORS, type Generator, tableOf } from './generators.ts'

/** Each generator makes a client, which is compiled and makes five calls. */
setDefaultTimeout(20 * 60_000)
const PROGRAMS = join(import.meta.dir, 'programs')
const folder = await mkdtemp(join(tmpdir(), 'generated-'))
afterAll(() => rm(folder, { recursive: true }))

const market = await marketplaceOf(['catalog', 'sourcing'])
const designer = await (await market.organization(['IP_OWNER'])).member('IP owner')
const progress = { progress: console.log }
for (const path of ['openapi.json', 'openapi-3.0.json']) {
  await Bun.write(join(folder, path), await fetch(`${market.url}/${path}`))
}

/** What every program prints: a name, a new part, its title, a list with it, and the status of an unknown part. */
const PRINTED = ['Stainless steel 316L (1.4404)', 'true', 'Impeller', 'true', '404']

async function execute(cwd: string, command: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, output } = await run(command, {
    cwd,
    env: { ...process.env, ...env, BASE: market.url, TOKEN: designer.client.accessToken ?? '' },
  })
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output.slice(-4000)}`)
  return output
}

async function openapiGenerator(): Promise<string> {
  const { name, version } = GENERATORS.java
  const jar = `${name}-cli-${version}.jar`
  return install(
    `${name}-${version}`,
    [jar],
    (path) => ['java', '-jar', path, 'version'],
    progress,
    async (staging) => {
      const artifact = `org.openapitools:${name}-cli:${version}`
      const { code, output } = await run([
        'mvn',
        '-q',
        'dependency:copy',
        `-Dartifact=${artifact}`,
        `-DoutputDirectory=${staging}`,
      ])
      if (code !== 0) throw new Error(`The check of generated clients needs Java 17 with Maven:\n${output}`)
    },
  )
}

const documentOf = ({ document }: Generator) => join(folder, document.slice(1))

/** Generates the client of a language with openapi-generator, and returns its folder. */
async function generated(name: keyof typeof GENERATORS): Promise<string> {
  const generator = GENERATORS[name]
  const out = join(folder, name)
  const words = ['generate', '-i', documentOf(generator), '-o', out, ...generator.options.split(' ')]
  await execute(folder, ['java', '-jar', await openapiGenerator(), ...words])
  return out
}

/** Runs a program with the client of a Go module named `market`. */
async function runGo(out: string, program: string): Promise<string> {
  const go = await findGo(progress, 'The check of generated clients needs Go')
  await mkdir(join(out, 'calls'))
  await copyFile(join(PROGRAMS, program), join(out, 'calls', 'main.go'))
  await execute(out, [go, 'mod', 'edit', '-module', 'market'])
  await execute(out, [go, 'mod', 'tidy'])
  return execute(out, [go, 'run', './calls'])
}

/** Generates a Go module with a generator that Go builds. */
async function runGoGenerator(generator: Generator, module: string, words: (out: string) => string[], program: string) {
  const go = await findGo(progress, 'The check of generated clients needs Go')
  const binary = await install(
    `${generator.name}-${generator.version}`,
    ['bin', generator.name],
    (path) => [path, '--version'],
    progress,
    async (staging) => {
      await goInstall(go, { name: generator.name, version: generator.version, module }, staging, progress)
    },
  )
  const out = join(folder, generator.name)
  await mkdir(out)
  await execute(out, [go, 'mod', 'init', 'market'])
  await execute(out, [binary, ...words(out)])
  return runGo(out, program)
}

const CALLS: Record<keyof typeof GENERATORS, () => Promise<string>> = {
  async java() {
    const out = await generated('java')
    await copyFile(join(PROGRAMS, 'calls.java.txt'), join(out, 'src', 'main', 'java', 'Calls.java'))
    return execute(out, ['mvn', '-q', 'compile', 'exec:java', '-Dexec.mainClass=Calls'])
  },
  async go() {
    const out = await generated('go')
    // Its tests import the module by another name.
    await rm(join(out, 'test'), { recursive: true, force: true })
    return runGo(out, 'openapi-generator.go.txt')
  },
  async typescript() {
    const out = await generated('typescript')
    await copyFile(join(PROGRAMS, 'calls.ts.txt'), join(out, 'calls.ts'))
    const compilerOptions = {
      strict: true,
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      noEmit: true,
    }
    await Bun.write(
      join(out, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['apis', 'models', 'runtime.ts'] }),
    )
    await execute(out, [process.execPath, join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', out])
    return execute(out, [process.execPath, 'calls.ts'])
  },
  async python() {
    const out = await generated('python')
    const packages = join(CACHE, 'generated-python')
    await pipInstall(['-r', join(out, 'requirements.txt')], packages, progress, { withDependencies: true })
    await copyFile(join(PROGRAMS, 'calls.py.txt'), join(out, 'calls.py'))
    return execute(out, ['python3', 'calls.py'], { PYTHONPATH: `${packages}:${out}` })
  },
  async rust() {
    const { code, output } = await run(['cargo', '--version'])
    // With rustup, cargo is there without the toolchains, which are in RUSTUP_HOME or `.rustup` of HOME.
    if (code !== 0) throw new Error(`The check of generated clients needs Rust with cargo:\n${output}`)
    const out = await generated('rust')
    await mkdir(join(out, 'src', 'bin'))
    await copyFile(join(PROGRAMS, 'calls.rs.txt'), join(out, 'src', 'bin', 'calls.rs'))
    await execute(out, ['cargo', 'add', '--quiet', 'tokio', '--features', 'macros,rt-multi-thread'])
    return execute(out, ['cargo', 'run', '--quiet', '--bin', 'calls'], {
      CARGO_TARGET_DIR: join(CACHE, 'generated-rust'),
      RUSTFLAGS: '-Awarnings',
    })
  },
  oapiCodegen: () =>
    runGoGenerator(
      GENERATORS.oapiCodegen,
      'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen',
      (out) => [
        '-package',
        'market',
        '-generate',
        'types,client',
        '-o',
        join(out, 'client.go'),
        documentOf(GENERATORS.oapiCodegen),
      ],
      'oapi-codegen.go.txt',
    ),
  ogen: () =>
    runGoGenerator(
      GENERATORS.ogen,
      'github.com/ogen-go/ogen/cmd/ogen',
      (out) => ['--package', 'market', '--target', out, documentOf(GENERATORS.ogen)],
      'ogen.go.txt',
    ),
}

test.each(Object.keys(CALLS) as (keyof typeof CALLS)[])(
  'the client of %s compiles, and its calls pass',
  async (name) => {
    const lines = (await CALLS[name]()).split('\n')
    expect(lines.filter((line) => PRINTED.includes(line))).toEqual(PRINTED)
  },
)

test('the guide has the table of the generators', async () => {
  const guide = await Bun.file(join(ROOT, 'proto', 'guides', 'generated-clients.md')).text()
  expect(guide).toContain(`\n${tableOf(Object.values(GENERATORS))}\n`)
})
