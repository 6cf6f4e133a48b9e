import { type RunOptions, run } from './run.ts'

const PIP = ['python3', '-m', 'pip']

export const hasPip = async () => (await run([...PIP, '--version'])).code === 0

/** Installs one package without its dependencies into a folder of its own. */
export const pipInstall = (requirement: string, target: string, options: RunOptions) =>
  run(
    [...PIP, 'install', '--no-input', '--no-deps', '--disable-pip-version-check', '--target', target, requirement],
    options,
  )
