/** A metric of the text format, with its series. */
interface ParsedMetric {
  name: string
  type: string
  help: string
  series: string[]
}

const ABBREVIATIONS = ['ms', 'us', 'ns', 's', 'sec', 'secs', 'kb', 'mb', 'gb', 'b', 'kib', 'mib', 'gib']
const OTHER_UNITS = [
  'milliseconds',
  'microseconds',
  'nanoseconds',
  'minutes',
  'hours',
  'days',
  'kilobytes',
  'megabytes',
]
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped']

/** Parses the text format. Throws where a parser of Prometheus would: a repeated description, or a series twice. */
export function parseMetrics(text: string): ParsedMetric[] {
  const metrics = new Map<string, ParsedMetric>()
  const series = new Set<string>()
  for (const line of text.split('\n')) {
    const [, comment, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (comment === 'HELP') {
      if (metrics.has(name)) throw new Error(`second HELP of ${name}`)
      metrics.set(name, { name, type: '', help: rest, series: [] })
    } else if (comment === 'TYPE') {
      const metric = metrics.get(name)
      if (metric?.type !== '') throw new Error(`TYPE of ${name} without HELP, or a second one`)
      metric.type = rest
    } else if (line !== '') {
      const [key, value] = [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]
      if (!/^(NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(value)) throw new Error(`no number: ${line}`)
      if (series.has(key)) throw new Error(`series twice: ${key}`)
      series.add(key)
      const own = /^[^{ ]+/.exec(key)?.[0] ?? ''
      const metric = metrics.get(own) ?? metrics.get(own.replace(/_(bucket|sum|count)$/, ''))
      if (!metric) throw new Error(`series without a description: ${key}`)
      metric.series.push(line)
    }
  }
  return [...metrics.values()]
}

/** What `promtool check metrics` reports about names. */
export const problemsOf = (metrics: readonly ParsedMetric[]): string[] =>
  metrics.flatMap(({ name, type, help, series }) => {
    const words = name.split('_')
    const labels = series.flatMap((line) => [...line.matchAll(/[{,]([^={,"]+)="/g)].map(([, label = '']) => label))
    const rules: [broken: boolean, problem: string][] = [
      [help === '', 'has no help text'],
      [!TYPES.includes(type), 'has no type'],
      [!/^[a-z][a-z0-9_]*$/.test(name), 'is not in snake_case'],
      [(type === 'counter') !== name.endsWith('_total'), 'must end with _total if it is a counter, and only then'],
      [/_(bucket|count|sum|info_total)$/.test(name), 'has a suffix that only histograms and summaries have'],
      [words.some((word) => TYPES.includes(word)), 'contains its type'],
      [words.some((word) => ABBREVIATIONS.includes(word)), 'abbreviates a unit'],
      [words.some((word) => OTHER_UNITS.includes(word)), 'has a unit that is no base unit'],
      [labels.some((label) => !/^[a-z][a-z0-9_]*$/.test(label)), 'has a label that is not in snake_case'],
      [type !== 'histogram' && labels.includes('le'), 'has the label of histograms'],
    ]
    return rules.filter(([broken]) => broken).map(([, problem]) => `${name} ${problem}`)
  })
