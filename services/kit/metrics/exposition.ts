import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'

/** The metrics that Bun provides. Others stay empty, are no number at first, or have names that promtool refuses. */
const PROVIDED = /^(process_|nodejs_eventloop_lag_(p99_|max_)?seconds$)/

let processRegistry: Registry | undefined

/** CPU, memory, file descriptors and event loop of this process. */
function processMetrics(): Registry {
  if (processRegistry) return processRegistry
  processRegistry = new Registry()
  collectDefaultMetrics({ register: processRegistry })
  for (const { name } of processRegistry.getMetricsAsArray()) {
    if (!PROVIDED.test(name)) processRegistry.removeSingleMetric(name)
  }
  return processRegistry
}

/** The metrics of the process and of its services. Each metric appears once, with the series of every service. */
export async function exposition(services: readonly { name: string; registry: Registry }[]): Promise<string> {
  const ofProcess = processMetrics()
  const [first, ...others] = services
  ofProcess.setDefaultLabels({ component: first && others.length === 0 ? first.name : 'all' })
  const registries = [ofProcess, ...services.map(({ registry }) => registry)]
  const metrics = await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))
  return AggregatorRegistry.aggregate(metrics).metrics()
}
