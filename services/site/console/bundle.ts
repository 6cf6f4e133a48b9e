import { join } from 'node:path'
import { CLOSED_TO_IMPERSONATIONS, PERMISSIONS_NEEDED } from './permissions.ts'

const APP = join(import.meta.dir, 'app')
const LINK_PAGES = ['activate', 'mail-address']
const STYLES = ['theme.css', 'frame.css', 'content.css', 'administration.css']

async function build(entry: string) {
  const { outputs } = await Bun.build({
    entrypoints: [join(APP, entry)],
    target: 'browser',
    format: 'esm',
    minify: true,
    tsconfig: join(APP, 'tsconfig.json'),
    define: {
      'process.env.NODE_ENV': '"production"',
      PERMISSIONS_NEEDED: JSON.stringify(PERMISSIONS_NEEDED),
      CLOSED_TO_IMPERSONATIONS: JSON.stringify(CLOSED_TO_IMPERSONATIONS),
    },
  })
  const [script] = outputs
  if (!script) throw new Error(`The bundle of ${entry} has no script.`)
  return new Uint8Array(await script.arrayBuffer())
}

/** The scripts of the pages of links, which have the texts of the console. */
export const LINK_SCRIPTS = LINK_PAGES.map((name) => [`${name}.js`, () => build(`links/${name}.ts`)] as const)

/**
 * Bundles the script of the console in memory. Its sources are part of the image, so that a checkout and an image run
 * the same code.
 */
export async function bundleConsole() {
  const script = await build('main.tsx')
  const styles = await Promise.all(STYLES.map((name) => Bun.file(join(APP, 'styles', name)).text()))
  return { script, styles: Buffer.from(styles.join('\n')) }
}
