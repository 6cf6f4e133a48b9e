import { join } from 'node:path'
import { PERMISSIONS_NEEDED } from './permissions.ts'

const APP = join(import.meta.dir, 'app')
const STYLES = ['theme.css', 'frame.css', 'content.css', 'administration.css']

const build = (entry: string) =>
  Bun.build({
    entrypoints: [join(APP, entry)],
    target: 'browser',
    format: 'esm',
    minify: true,
    metafile: true,
    tsconfig: join(APP, 'tsconfig.json'),
    define: {
      'process.env.NODE_ENV': '"production"',
      PERMISSIONS_NEEDED: JSON.stringify(PERMISSIONS_NEEDED),
    },
  })

/** Bundles the script of a page of links, which has the texts of the console. */
export async function bundleLinkPage(name: 'activate' | 'mail-address'): Promise<Uint8Array> {
  const { outputs } = await build(`links/${name}.ts`)
  return new Uint8Array(await (outputs[0] as Blob).arrayBuffer())
}

/**
 * Bundles the script of the console in memory. Its sources are part of the image, so that a checkout and an image run
 * the same code.
 */
export async function bundleConsole() {
  const { outputs, metafile } = await build('main.tsx')
  const [script] = outputs
  if (!script) throw new Error('The bundle of the console has no script.')
  const styles = await Promise.all(STYLES.map((name) => Bun.file(join(APP, 'styles', name)).text()))
  return {
    script: new Uint8Array(await script.arrayBuffer()),
    styles: Buffer.from(styles.join('\n')),
    metafile,
  }
}
