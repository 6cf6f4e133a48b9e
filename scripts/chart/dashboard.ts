interface Panel {
  title: string
  unit: string
  /** The value above which an alert fires. */
  alertAbove?: number
  /** A PromQL expression and the legend of its series. */
  queries: [expression: string, legend: string][]
}

/** Selects one installation; `$release` stands for it in the expressions. */
const RELEASE = 'namespace=~"$namespace",job=~"$job"'

const ROWS: [title: string, panels: Panel[]][] = [
  [
    'Requests',
    [
      {
        title: 'Requests',
        unit: 'reqps',
        queries: [
          ['sum by (service) (rate(http_request_duration_seconds_count{$release}[$__rate_interval]))', '{{service}}'],
        ],
      },
      {
        title: 'Errors of the marketplace',
        unit: 'percentunit',
        alertAbove: 0.01,
        queries: [
          [
            // Without errors there is no series of them, which would be an empty panel instead of a line at zero.
            '(sum by (service) (rate(http_request_duration_seconds_count{$release,status=~"5.."}[$__rate_interval])) or 0 * sum by (service) (rate(http_request_duration_seconds_count{$release}[$__rate_interval]))) / sum by (service) (rate(http_request_duration_seconds_count{$release}[$__rate_interval]))',
            '{{service}}',
          ],
        ],
      },
      {
        title: 'Duration, 99th percentile',
        unit: 's',
        alertAbove: 1,
        queries: [
          [
            'histogram_quantile(0.99, sum by (service, le) (rate(http_request_duration_seconds_bucket{$release}[$__rate_interval])))',
            '{{service}}',
          ],
        ],
      },
      {
        title: 'Slowest operations, 99th percentile',
        unit: 's',
        queries: [
          [
            'topk(10, histogram_quantile(0.99, sum by (operation, le) (rate(http_request_duration_seconds_bucket{$release}[$__rate_interval]))))',
            '{{operation}}',
          ],
        ],
      },
      {
        title: 'Sign-ins',
        unit: 'reqps',
        queries: [
          [
            'sum by (grant_type, result) (rate(sign_ins_total{$release}[$__rate_interval]))',
            '{{grant_type}} {{result}}',
          ],
        ],
      },
      {
        title: 'Work that waits',
        unit: 'short',
        queries: [['sum by (service, work) (concurrency_waiting{$release})', '{{service}} {{work}}']],
      },
    ],
  ],
  [
    'Events',
    [
      {
        title: 'Oldest unpublished event',
        unit: 's',
        alertAbove: 60,
        queries: [['max by (service) (outbox_oldest_seconds{$release})', '{{service}}']],
      },
      {
        title: 'Unpublished events',
        unit: 'short',
        queries: [['max by (service) (outbox_waiting_events{$release})', '{{service}}']],
      },
      {
        title: 'Events that consumers have not processed',
        unit: 'short',
        alertAbove: 1000,
        queries: [['max by (service, consumer) (consumer_lag_events{$release})', '{{service}} {{consumer}}']],
      },
      {
        title: 'Failing events and dead letters',
        unit: 'short',
        queries: [
          // A gauge: a counter that appears with its first event would hide that one.
          [
            'max by (service, consumer, state) (consumer_failed_events{$release})',
            '{{service}} {{consumer}} {{state}}',
          ],
        ],
      },
    ],
  ],
  [
    'Webhooks',
    [
      {
        title: 'Attempts',
        unit: 'reqps',
        queries: [['sum by (result) (rate(webhook_attempts_total{$release}[$__rate_interval]))', '{{result}}']],
      },
      {
        title: 'Duration of attempts, 50th and 99th percentile',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.5, sum by (le) (rate(webhook_attempt_duration_seconds_bucket{$release}[$__rate_interval])))',
            'p50',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (rate(webhook_attempt_duration_seconds_bucket{$release}[$__rate_interval])))',
            'p99',
          ],
        ],
      },
      {
        title: 'Oldest due delivery',
        unit: 's',
        alertAbove: 60,
        queries: [['max(webhook_oldest_due_seconds{$release})', 'age']],
      },
      {
        title: 'Due deliveries and paused endpoints',
        unit: 'short',
        queries: [
          ['max(webhook_due_deliveries{$release})', 'due deliveries'],
          ['max(webhook_paused_endpoints{$release})', 'paused endpoints'],
        ],
      },
    ],
  ],
  [
    'Resources',
    [
      {
        title: 'Connections to Postgres',
        unit: 'short',
        queries: [['max by (service, state) (database_connections{$release})', '{{service}} {{state}}']],
      },
      {
        title: 'CPU of a replica',
        unit: 'percentunit',
        queries: [['max by (service) (rate(process_cpu_seconds_total{$release}[$__rate_interval]))', '{{service}}']],
      },
      {
        title: 'Memory of a replica',
        unit: 'bytes',
        queries: [['max by (service) (process_resident_memory_bytes{$release})', '{{service}}']],
      },
      {
        title: 'Event loop lag, 99th percentile',
        unit: 's',
        alertAbove: 0.5,
        queries: [['max by (service) (nodejs_eventloop_lag_p99_seconds{$release})', '{{service}}']],
      },
    ],
  ],
]

/** Two panels side by side; Grafana's grid has 24 columns. */
const WIDTH = 12
const HEIGHT = 8

/** The dashboard of Grafana for all services. */
export function dashboard() {
  const panels: object[] = []
  let y = 0
  for (const [title, row] of ROWS) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      gridPos: { x: 0, y, w: 24, h: 1 },
      collapsed: false,
      panels: [],
    })
    y += 1
    for (const [index, panel] of row.entries()) {
      const x = (index % 2) * WIDTH
      panels.push({ id: panels.length + 1, ...panelOf(panel), gridPos: { x, y, w: WIDTH, h: HEIGHT } })
      if (x > 0 || index === row.length - 1) y += HEIGHT
    }
  }
  return {
    title: 'Marketplace',
    uid: 'marketplace',
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        variable('namespace', 'Namespace', 'label_values(outbox_oldest_seconds, namespace)'),
        variable('job', 'Release', 'label_values(outbox_oldest_seconds{namespace=~"$namespace"}, job)'),
      ],
    },
    panels,
  }
}

/** A choice among the values of a label. A metric that only the marketplace has tells its values. */
const variable = (name: string, label: string, query: string) => ({
  name,
  label,
  type: 'query',
  datasource: { type: 'prometheus', uid: '$datasource' },
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
})

/** A line at the threshold, where the axis reaches it. */
const thresholdOf = (alertAbove: number) => ({
  thresholds: {
    mode: 'absolute',
    steps: [
      { color: 'transparent', value: null },
      { color: 'red', value: alertAbove },
    ],
  },
  custom: { fillOpacity: 10, thresholdsStyle: { mode: 'line' } },
})

const panelOf = ({ title, unit, alertAbove, queries }: Panel) => ({
  type: 'timeseries',
  title,
  datasource: { type: 'prometheus', uid: '$datasource' },
  fieldConfig: {
    defaults: {
      ...{ unit, min: 0, custom: { fillOpacity: 10 } },
      ...(alertAbove === undefined ? {} : thresholdOf(alertAbove)),
    },
    overrides: [],
  },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  targets: queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    expr: expr.replaceAll('$release', RELEASE),
    legendFormat,
  })),
})
