/** The parts of rendered manifests that `podman kube play` needs. */
interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: { replicas?: number; template?: PodTemplate }
}

interface PodTemplate {
  metadata: { labels: Record<string, string> }
  spec: { restartPolicy?: string; containers: { name: string; ports?: { name: string; containerPort: number }[] }[] }
}

export interface Pod {
  name: string
  /** The service, or the command of a Job. */
  container: string
  manifest: object
}

interface Playable {
  configMap: object
  /** In the order of Helm: hooks before the installation come first. */
  jobs: Pod[]
  /** One pod for each replica. `ports` publishes a port of a container on the loopback interface. */
  services: (Pod & { port: number })[]
}

/**
 * What podman can play of the rendered chart. It has no Deployments with replicas on one machine, because it publishes
 * every port of a container, and no Jobs: both become pods of the same template.
 */
export function playable(rendered: string, freePort: () => number): Playable {
  const manifests = rendered
    .split(/^---$/m)
    .map((text) => Bun.YAML.parse(text) as Manifest | null)
    .filter((manifest) => manifest !== null)
  const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind)
  const [configMap] = ofKind('ConfigMap')
  if (configMap === undefined) throw new Error('The chart rendered no ConfigMap.')
  return {
    configMap,
    jobs: [...ofKind('Job').filter(isHook), ...ofKind('Job').filter((job) => !isHook(job))].map((job) =>
      podOf(job.metadata.name, templateOf(job)),
    ),
    services: ofKind('Deployment').flatMap((deployment) =>
      Array.from({ length: deployment.spec?.replicas ?? 1 }, (_, replica) => {
        const port = freePort()
        const template = published(templateOf(deployment), { http: port, health: freePort() })
        return { ...podOf(`${deployment.metadata.name}-${replica}`, template), port }
      }),
    ),
  }
}

const isHook = ({ metadata }: Manifest) => metadata.annotations?.['helm.sh/hook'] !== undefined

function templateOf({ kind, metadata, spec }: Manifest): PodTemplate {
  if (spec?.template === undefined) throw new Error(`${kind} ${metadata.name} has no template.`)
  return spec.template
}

/** The template with its named ports published on the loopback interface. */
function published(template: PodTemplate, ports: Readonly<Record<string, number>>): PodTemplate {
  const containers = template.spec.containers.map((container) => ({
    ...container,
    ports: container.ports?.map((port) => ({ ...port, hostIP: '127.0.0.1', hostPort: ports[port.name] })) ?? [],
  }))
  return { ...template, spec: { ...template.spec, containers } }
}

function podOf(name: string, { metadata, spec }: PodTemplate): Pod {
  const [container] = spec.containers
  if (container === undefined) throw new Error(`${name} has no container.`)
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: metadata.labels }, spec }
  return { name, container: container.name, manifest }
}
