import { findGo, goInstall, install, type Progress, pipInstall } from './installation.ts'

const SQUAWK = { name: 'squawk', requirement: 'squawk-cli==2.70.0' }
const ACTIONLINT = {
  name: 'actionlint',
  version: '1.7.12',
  module: 'github.com/rhysd/actionlint/cmd/actionlint',
}

/** The linter of migrations, ready-made. */
export const installSquawk = (options: Progress): Promise<string> =>
  install(
    SQUAWK.name,
    ['bin', SQUAWK.name],
    (path) => [path, '--version'],
    options,
    async (staging) => {
      await pipInstall(SQUAWK.requirement, staging, options)
    },
  )

/** The linter of workflows. */
export const installActionlint = (options: Progress): Promise<string> =>
  install(
    ACTIONLINT.name,
    ['bin', ACTIONLINT.name],
    (path) => [path, '-version'],
    options,
    async (staging) => {
      const go = await findGo(options, 'The check of the workflows needs actionlint')
      await goInstall(go, ACTIONLINT, staging, options)
    },
  )
