import { join } from 'node:path'
import { installHelm } from '../../../toolchain/chart-tools.ts'
import { ROOT } from '../../../toolchain/checkout.ts'
import type { Lifecycle } from '../../../toolchain/command.ts'
import { CommandError } from '../../../toolchain/command-error.ts'
import { type Finished, run, tail } from '../../../toolchain/run.ts'

export const RELEASE = 'market'
/** The prefix of the names of the release. */
export const FULLNAME = `${RELEASE}-marketplace`
const CHART = join(ROOT, 'charts', 'marketplace')
/** Without the limits of an organization, which the load exceeds. */
const ALWAYS = ['--set', 'config.rateLimitPerSecond=100000,config.rateLimitBurst=100000']

/** What the rehearsal needs to know of a cluster: kubectl finds the cluster itself. */
export interface Given {
  namespace: string
  /** File with the values of the installation. */
  values: string
  /** Commands that take Postgres and NATS away for ten seconds. */
  interruptions: { postgres?: string | undefined; nats?: string | undefined }
}

export interface Values {
  image: { repository: string; tag?: string }
  database: { existingSecret: string }
}

/** The namespace of the rehearsal, through kubectl and Helm. */
export class Cluster {
  readonly given: Given
  readonly values: Values
  readonly #helm: string
  readonly #signal: AbortSignal

  private constructor(given: Given, values: Values, helm: string, signal: AbortSignal) {
    this.given = given
    this.values = values
    this.#helm = helm
    this.#signal = signal
  }

  static async find({ signal, progress }: Lifecycle): Promise<Cluster> {
    const { REHEARSAL_NAMESPACE: namespace, REHEARSAL_VALUES: values } = process.env
    if (!namespace || !values) {
      throw new CommandError(
        'This rehearsal needs REHEARSAL_NAMESPACE, a namespace with the secrets of the installation, and REHEARSAL_VALUES, the file with its values.',
      )
    }
    const interruptions = {
      postgres: process.env.REHEARSAL_INTERRUPT_POSTGRES,
      nats: process.env.REHEARSAL_INTERRUPT_NATS,
    }
    const parsed = Bun.YAML.parse(await Bun.file(values).text()) as Values
    const helm = await installHelm(process.env.REHEARSAL_HELM === '3' ? '3.19.0' : '4.2.3', { progress, signal })
    return new Cluster({ namespace, values, interruptions }, parsed, helm, signal)
  }

  /** Runs kubectl in the namespace; it must succeed. */
  async kubectl(...words: string[]): Promise<string> {
    return must('kubectl', words, await this.tryKubectl(...words))
  }

  /** Like `kubectl`, but the caller judges the end. */
  tryKubectl(...words: string[]): Promise<Finished> {
    return this.#run(['kubectl', '--namespace', this.given.namespace, ...words])
  }

  async get<T>(...words: string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', ...words, '--output', 'json'))
  }

  /** Runs Helm in the namespace; it must succeed. */
  async helm(...words: string[]): Promise<string> {
    return must('helm', words, await this.tryHelm(...words))
  }

  tryHelm(...words: string[]): Promise<Finished> {
    return this.#run([this.#helm, '--namespace', this.given.namespace, ...words])
  }

  /** The command of the chart's README that installs and upgrades. */
  upgrade(...words: string[]): string[] {
    return ['upgrade', '--install', RELEASE, CHART, '--values', this.given.values, ...ALWAYS, '--wait', ...words]
  }

  /** Runs a command of the operator in the pod of a Job, as the README describes. */
  async operate(...words: string[]): Promise<string> {
    await this.kubectl('create', 'job', 'tools', `--from=cronjob/${FULLNAME}-tools`)
    await this.kubectl('wait', 'job/tools', '--for=jsonpath={.status.ready}=1', '--timeout=2m')
    const output = await this.kubectl('exec', 'job/tools', '--', 'marketplace', ...words)
    await this.kubectl('delete', 'job', 'tools')
    return output
  }

  /** Every object of the namespace but events, which pass by themselves. */
  async objects(): Promise<string[]> {
    const kinds = await this.kubectl('api-resources', '--namespaced', '--verbs=list', '--output=name')
    const listed = kinds.split('\n').filter((kind) => kind !== '' && !/^events\b|\.metrics\.k8s\.io$/.test(kind))
    const output = await this.kubectl('get', listed.join(), '--output=name', '--ignore-not-found')
    // Warnings of the cluster have no slash without spaces.
    return [...new Set(output.split('\n').filter((line) => /^\S+\/\S+$/.test(line)))].sort()
  }

  #run(command: string[]): Promise<Finished> {
    return run(command, { timeoutMs: 40 * 60_000, signal: this.#signal })
  }
}

function must(program: string, words: string[], { code, output }: Finished): string {
  if (code !== 0) throw new CommandError(`${program} ${words.join(' ')} failed:\n${tail(output, 30)}`)
  return output
}
