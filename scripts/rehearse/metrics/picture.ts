import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { install, type Progress } from '../../toolchain/installation.ts'
import { Refusal } from '../../toolchain/refusal.ts'
import { run } from '../../toolchain/run.ts'
import type { FilledPanel } from './dashboard.ts'

/** Pixels of a column and of a row of Grafana's grid. */
const [COLUMN, ROW] = [40, 17]
const AXIS = 70
const LETTER = 5.4

/** The labels of an axis by the unit of Grafana, as expressions of Vega. */
const LABELS: Record<string, string> = {
  s: "datum.value < 1 ? format(datum.value * 1000, ',.4~r') + ' ms' : format(datum.value, '.3~r') + ' s'",
  bytes: "format(datum.value, ',.4~r') + ' MiB'",
  percentunit: "format(datum.value, '.3~%')",
  reqps: "format(datum.value, '.3~r') + ' req/s'",
  short: "format(datum.value, '.3~s')",
}

/** Draws the panels in the grid of the dashboard, as an SVG file. */
export async function draw(title: string, panels: readonly FilledPanel[], folder: string, to: string): Promise<void> {
  const specification = join(folder, 'dashboard.vl.json')
  await Bun.write(specification, JSON.stringify(specificationOf(title, panels)))
  const vega = await installVega({ progress: console.log })
  const { code, output } = await run([BUN, vega, specification, to])
  if (code !== 0) throw new Refusal(`The dashboard could not be drawn:\n${output}`)
  const svg = await Bun.file(to).text()
  // A tenth of a pixel is enough, and the file is half as large.
  await Bun.write(to, `${svg.replace(/\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10))}\n`)
}

/** Each panel has series and a legend of its own. */
const RESOLVE = { scale: { color: 'independent' }, legend: { color: 'independent' } }

function specificationOf(title: string, panels: readonly FilledPanel[]) {
  const rows = panels.filter(({ type }) => type === 'row')
  const linesOf = (row: number) => {
    const [from = 0, to = Infinity] = rows.slice(row, row + 2).map(({ gridPos }) => gridPos.y)
    const inside = panels.filter(({ type, gridPos: { y } }) => type !== 'row' && y >= from && y < to)
    return Object.values(Object.groupBy(inside, ({ gridPos }) => gridPos.y))
  }
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: { text: title, fontSize: 20, anchor: 'start', offset: 10 },
    padding: 16,
    spacing: 26,
    vconcat: rows.map((row, index) => ({
      title: { text: row.title, fontSize: 16, anchor: 'start', offset: 8 },
      ...{ spacing: 18, resolve: RESOLVE },
      vconcat: linesOf(index).map((line = []) => ({ spacing: 24, resolve: RESOLVE, hconcat: line.map(chart) })),
    })),
    resolve: RESOLVE,
    config: {
      font: 'sans-serif',
      view: { stroke: '#ddd' },
      axis: { gridColor: '#eee', domain: false, tickColor: '#ddd', labelColor: '#555' },
      line: { strokeWidth: 1.5 },
    },
  }
}

function chart({ title, gridPos, fieldConfig, points }: FilledPanel) {
  const unit = fieldConfig?.defaults.unit ?? 'short'
  const scaled = (value: number | null) => (value !== null && unit === 'bytes' ? value / 2 ** 20 : value)
  const width = gridPos.w * COLUMN - AXIS
  const names = [...new Set(points.map(({ series }) => series))]
  const longest = Math.max(...names.map(({ length }) => length))
  return {
    title: { text: title, anchor: 'start', fontSize: 12, frame: 'group' },
    width,
    height: gridPos.h * ROW,
    data: { values: points.map(({ time, value, series }) => ({ time: time * 1000, value: scaled(value), series })) },
    mark: 'line',
    encoding: {
      x: {
        field: 'time',
        type: 'temporal',
        scale: { type: 'utc' },
        axis: { title: null, format: '%H:%M:%S', tickCount: 5 },
      },
      y: {
        field: 'value',
        type: 'quantitative',
        axis: { title: null, tickCount: 4, minExtent: AXIS, maxExtent: AXIS, labelExpr: LABELS[unit] },
      },
      color: {
        field: 'series',
        type: 'nominal',
        scale: { scheme: names.length > 10 ? 'tableau20' : 'tableau10' },
        legend: {
          title: null,
          orient: 'bottom',
          direction: 'horizontal',
          symbolType: 'stroke',
          labelLimit: 0,
          columns: Math.max(1, Math.floor(width / (longest * LETTER + 30))),
        },
      },
    },
  }
}

/** Vega draws without a browser. */
const VEGA = ['vega@6.4.0', 'vega-lite@6.5.0']

const installVega = (options: Progress) =>
  install(
    'vega',
    ['node_modules', 'vega-lite', 'bin', 'vl2svg'],
    (path) => [BUN, path, '--help'],
    options,
    async (staging) => {
      options.progress(`Installing ${VEGA.join(' and ')}`)
      await Bun.write(join(staging, 'package.json'), '{}')
      const { code, output } = await run([BUN, 'add', '--exact', '--no-progress', ...VEGA], { cwd: staging })
      if (code !== 0) throw new Error(output)
    },
  )
