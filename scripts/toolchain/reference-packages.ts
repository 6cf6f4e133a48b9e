import { join } from 'node:path'
import { ROOT } from './checkout.ts'

/**
 * The API reference has a manifest and a lockfile of its own, because its browser modules contain their 268
 * dependencies already: in the lockfile of the product, each installation would have 280 MB more. Audit, licences, bill
 * of materials and update bots read both lockfiles.
 */
export const REFERENCE_MANIFEST = join(ROOT, 'services', 'site', 'pages', 'reference')
/** The packages of the browser modules with their licences, which MIT and Apache-2.0 require in what is shipped. */
export const LICENCES_FILE = 'services/site/pages/reference/LICENCES.txt'

const API_REFERENCE = '@scalar/api-reference'

interface LockedPackage {
  /** Name and version. */
  id: string
  integrity: string
}

/** The packages of the lockfile of the API reference that are installed on each platform. */
export async function lockedPackages(): Promise<LockedPackage[]> {
  const { packages } = Bun.JSONC.parse(await Bun.file(join(REFERENCE_MANIFEST, 'bun.lock')).text()) as {
    packages: Record<string, [id: string, registry: string, manifest: { os?: string; cpu?: string }, integrity: string]>
  }
  const everywhere = Object.values(packages).filter(([, , { os, cpu }]) => os === undefined && cpu === undefined)
  return [...new Map(everywhere.map(([id, , , integrity]) => [id, { id, integrity }])).values()]
}

/** The API reference itself, as the lockfile names it. */
export async function lockedReference(): Promise<LockedPackage> {
  const found = (await lockedPackages()).find(({ id }) => id.startsWith(`${API_REFERENCE}@`))
  if (!found) throw new Error(`${API_REFERENCE} is not in the lockfile.`)
  return found
}

interface BundledPackage {
  name: string
  version: string
  license: string
}

const ENTRY = /^(\S+) (\d\S*) — (.+)$/gm

/** The packages that a file of licences lists. */
export const listedPackages = (licences: string): BundledPackage[] =>
  [...licences.matchAll(ENTRY)].map(([, name = '', version = '', license = '']) => ({ name, version, license }))
