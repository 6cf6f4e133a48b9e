import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../../../toolchain/checkout.ts'

const CHART = join(ROOT, 'charts', 'marketplace')
const read = async <File>(...path: string[]) => Bun.YAML.parse(await Bun.file(join(CHART, ...path)).text()) as File

interface Cases {
  tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[]
}

test('the tests of promtool have series that fire each alert, and a time at which it does not fire', async () => {
  const { groups } = await read<{ groups: { rules: { alert: string }[] }[] }>('files', 'alerts.yaml')
  const cases = (await read<Cases>('tests', 'alerts.yaml')).tests.flatMap((group) => group.alert_rule_test)
  const namesOf = (fires: boolean) =>
    new Set(cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname))
  const alerts = new Set(groups.flatMap(({ rules }) => rules).map(({ alert }) => alert))
  expect([namesOf(true), namesOf(false)]).toEqual([alerts, alerts])
})

test('the runbook has a page for each alert, with the same parts', async () => {
  const { groups } = await read<{ groups: { rules: { alert: string }[] }[] }>('files', 'alerts.yaml')
  const [, ...pages] = (await Bun.file(join(CHART, 'RUNBOOK.md')).text()).split(/^## /m)
  expect(pages.map((page) => page.split('\n')[0])).toEqual(
    groups.flatMap(({ rules }) => rules).map(({ alert }) => alert),
  )
  for (const page of pages) {
    const parts = [...page.matchAll(/^- \*\*([^*]+)\.\*\* \S/gm)].map(([, part]) => part)
    expect([page.split('\n')[0], parts]).toEqual([
      page.split('\n')[0],
      ['Meaning', 'Impact', 'How to look', 'What to do', 'Over when'],
    ])
  }
})
