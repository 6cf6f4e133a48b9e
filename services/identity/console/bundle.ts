import { join } from 'node:path'
import { PERMISSIONS_NEEDED } from './permissions.ts'

const APP = join(import.meta.dir, 'app')
const STYLES = ['theme.css', 'frame.css', 'content.css', 'administration.css']

/**
 * Bundles the script of the console in memory. Its sources are part of the image, so that a checkout and an image run
 * the same code.
 */
export async function bundleConsole() {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(APP, 'main.tsx')],
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
  const [script] = outputs
  if (!script) throw new Error('The bundle of the console has no script.')
  const styles = await Promise.all(STYLES.map((name) => Bun.file(join(APP, 'styles', name)).text()))
  return {
    script: new Uint8Array(await script.arrayBuffer()),
    styles: Buffer.from(styles.join('\n')),
    metafile,
  }
}
