import { join } from 'node:path'
import { CLOSED_TO_IMPERSONATIONS, PERMISSIONS_NEEDED } from './permissions.ts'

const APP = join(import.meta.dir, 'app')
const LINK_PAGES = ['activate', 'mail-address']
const STYLES = ['theme.css', 'frame.css', 'content.css', 'administration.css']

async function build(entry: string) {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(APP, entry)],
    target: 'browser',
    format: 'esm',
    minify: true,
    metafile: true,
    tsconfig: join(APP, 'tsconfig.json'),
    define: {
      'process.env.NODE_ENV': '"production"',
      PERMISSIONS_NEEDED: JSON.stringify(PERMISSIONS_NEEDED),
      CLOSED_TO_IMPERSONATIONS: JSON.stringify(CLOSED_TO_IMPERSONATIONS),
    },
  })
  const [script] = outputs
  if (!script) throw new Error(`The bundle of ${entry} has no script.`)
  return { script: new Uint8Array(await script.arrayBuffer()), metafile }
}

/** The scripts of the pages of links, which have the texts of the console. */
export const LINK_SCRIPTS = LINK_PAGES.map(
  (name) => [`${name}.js`, async () => (await build(`links/${name}.ts`)).script] as const,
)

/** The files that the bundles consist of. */
export async function bundledFiles(): Promise<string[]> {
  const bundles = await Promise.all(['main.tsx', ...LINK_PAGES.map((name) => `links/${name}.ts`)].map(build))
  return bundles.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))
}

/**
 * Bundles the script of the console in memory. Its sources are part of the image, so that a checkout and an image run
 * the same code.
 */
export async function bundleConsole() {
  const { script } = await build('main.tsx')
  const styles = await Promise.all(STYLES.map((name) => Bun.file(join(APP, 'styles', name)).text()))
  return { script, styles: Buffer.from(styles.join('\n')) }
}
