import { join } from 'node:path'
import { ROOT } from '../../toolchain/checkout.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import type { GeneratedFiles } from './files.ts'

const FOLDER = join('services', 'site', 'console', 'app', 'ui')
const PACKAGE = join(ROOT, 'node_modules', 'lucide-static')

/** The icons of the console, by their names in Lucide. Only these are part of the product. */
const NAMES = [
  ...['arrow-down', 'arrow-left', 'arrow-right', 'arrow-up'],
  ...['bell', 'box', 'building', 'camera', 'check', 'circle-alert', 'clipboard-list', 'ellipsis', 'factory'],
  ...['handshake', 'house', 'inbox', 'key-round', 'languages', 'layers', 'lock', 'log-out', 'menu'],
  ...['messages-square', 'package', 'plus', 'search', 'search-x', 'share-2', 'star', 'user', 'users'],
  ...['webhook', 'wifi-off', 'x'],
]

/** The shapes of the icons, and the licence of Lucide beside them. */
export async function iconFiles(): Promise<GeneratedFiles> {
  const all: Record<string, unknown> = await Bun.file(join(PACKAGE, 'icon-nodes.json')).json()
  const shapes = NAMES.map((name) => {
    if (!all[name]) throw new CommandError(`Lucide has no icon ${name}.`)
    return [name, all[name]]
  })
  return new Map([
    [join(FOLDER, 'icons.json'), `${JSON.stringify(Object.fromEntries(shapes))}\n`],
    [join(FOLDER, 'icons.LICENSE'), await Bun.file(join(PACKAGE, 'LICENSE')).text()],
  ])
}
