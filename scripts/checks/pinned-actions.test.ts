import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../toolchain/checkout.ts'
import { unpinnedActions } from './pinned-actions.ts'

const HASH = '08c6903cd8c0fde910a37f88322edcfb5dd907a8'

test.each([
  [`uses: actions/checkout@${HASH} # v5.0.0`, []],
  ['uses: ./.github/actions/own', []],
  ['uses: actions/checkout@v5', ['actions/checkout@v5']],
  [`uses: actions/checkout@${HASH}`, [`actions/checkout@${HASH}`]],
  [`uses: actions/checkout@${HASH.slice(1)} # v5.0.0`, [`actions/checkout@${HASH.slice(1)}`]],
  ['uses: docker/build-push-action@main # v6.0.0', ['docker/build-push-action@main']],
])('%s: unpinned is %p', (line, expected) => {
  expect(unpinnedActions(`      - ${line}\n`)).toEqual(expected)
})

test('every action of our workflows, those of GitHub among them, is the hash of a commit with its version', async () => {
  const files = [...new Bun.Glob('.github/workflows/*.yaml').scanSync({ cwd: ROOT, dot: true })]
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) {
    expect([file, unpinnedActions(await Bun.file(join(ROOT, file)).text())]).toEqual([file, []])
  }
})
