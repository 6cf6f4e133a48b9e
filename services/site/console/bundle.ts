import { basename, join } from 'node:path'
import { CLOSED_TO_IMPERSONATIONS, PERMISSIONS_NEEDED } from './permissions.ts'

const APP = join(import.meta.dir, 'app')
const LINK_PAGES = ['activate', 'mail-address']
const STYLES = [
  'theme',
  'states',
  'controls',
  'frame',
  'palette',
  'lists',
  'cards',
  'records',
  'compare',
  'viewer',
  'administration',
]

/** `splitting`: what a script imports later is a script of its own. */
async function build(entry: string, { splitting = false } = {}) {
  const { outputs } = await Bun.build({
    entrypoints: [join(APP, entry)],
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting,
    naming: { chunk: '[name]-[hash].[ext]' },
    tsconfig: join(APP, 'tsconfig.json'),
    define: {
      'process.env.NODE_ENV': '"production"',
      PERMISSIONS_NEEDED: JSON.stringify(PERMISSIONS_NEEDED),
      CLOSED_TO_IMPERSONATIONS: JSON.stringify(CLOSED_TO_IMPERSONATIONS),
    },
  })
  const script = outputs.find(({ kind }) => kind === 'entry-point')
  if (!script) throw new Error(`The bundle of ${entry} has no script.`)
  const chunks = outputs.filter(({ kind }) => kind === 'chunk')
  const bytesOf = async (output: Blob) => new Uint8Array(await output.arrayBuffer())
  return {
    script: await bytesOf(script),
    chunks: await Promise.all(chunks.map(async (chunk) => ({ path: chunk.path, bytes: await bytesOf(chunk) }))),
  }
}

/** A style sheet without comments and line breaks. The bundler also rewrites nested rules, which makes it longer. */
const minified = (css: string) =>
  css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/ *([{};,]) */g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}')

/** The scripts of the pages of links, which have the texts of the console in each language. */
export const LINK_SCRIPTS = LINK_PAGES.map(
  (name) => [`${name}.js`, async () => (await build(`links/${name}.ts`)).script] as const,
)

/** The name of a script without the hash of its content. */
export const withoutHash = (name: string) => name.replace(/-[0-9a-z]+(?=\.js$)/, '')

/** The scripts that a script needs before it runs. */
const importsOf = (script: Uint8Array) =>
  [...new TextDecoder().decode(script).matchAll(/from"\.\/([^"]+\.js)"/g)].map(([, name = '']) => name)

/**
 * Bundles the script of the console in memory: what the first screen needs, the other screens, the viewer, and the
 * texts of each language. Its sources are part of the image, so that a checkout and an image run the same code.
 */
export async function bundleConsole() {
  const [{ script, chunks }, early] = await Promise.all([build('main.tsx', { splitting: true }), build('early.ts')])
  const styles = await Promise.all(STYLES.map((name) => Bun.file(join(APP, 'styles', `${name}.css`)).text()))
  return {
    script,
    early: early.script,
    chunks: new Map(chunks.map(({ path, bytes }) => [basename(path), bytes])),
    imported: importsOf(script),
    styles: Buffer.from(minified(styles.join('\n'))),
  }
}
