import { dirname, join } from 'node:path'

export interface InstalledPackage {
  name: string
  version: string
  /** The SPDX expression it states; empty when it states none. */
  licence: string
}

/** Every installed package that the named ones need, found as the runtime finds them. */
export async function dependenciesOf(root: string, names: string[]): Promise<InstalledPackage[]> {
  const found = new Map<string, InstalledPackage>()
  const queue = names.map((name) => ({ name, from: root, required: true }))
  for (let next = queue.pop(); next; next = queue.pop()) {
    const folder = await findPackage(next.name, next.from, root)
    // Optional ones are those of other platforms: not installed here, and under their parent's licence.
    if (folder === undefined && next.required) throw new Error(`${next.name} is not installed: run bun install.`)
    if (folder === undefined || found.has(folder)) continue
    const content = await Bun.file(join(folder, 'package.json')).json()
    found.set(folder, { name: next.name, version: content.version, licence: statedLicence(content) })
    const optional = { ...content.optionalDependencies, ...content.peerDependencies }
    for (const name of Object.keys({ ...content.dependencies, ...optional })) {
      queue.push({ name, from: folder, required: !(name in optional) })
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
}

async function findPackage(name: string, from: string, root: string): Promise<string | undefined> {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (await Bun.file(join(candidate, 'package.json')).exists()) return candidate
  }
  return undefined
}

/** Old packages state an object or a list instead of an expression. */
function statedLicence({ license, licenses }: Record<string, unknown>): string {
  const nameOf = (value: unknown): string => {
    if (typeof value === 'string') return value
    return typeof value === 'object' && value !== null && 'type' in value ? nameOf(value.type) : ''
  }
  if (Array.isArray(licenses)) return licenses.map(nameOf).join(' OR ')
  return nameOf(license)
}

/** A line for each package whose licence is not among the allowed ones. */
export function findForbidden(packages: InstalledPackage[], allowed: string[]): string[] {
  return packages
    .filter(({ licence }) => !permits(licence, allowed))
    .map(({ name, version, licence }) => `${name}@${version}: ${licence || 'no licence'} is not allowed`)
}

/** Whether an SPDX expression can be met with the allowed licences: one side of an OR, both sides of an AND. */
export function permits(expression: string, allowed: string[]): boolean {
  const words = expression.replaceAll('(', ' ( ').replaceAll(')', ' ) ').split(/\s+/).filter(Boolean)
  const either = (): boolean => {
    let met = both()
    while (words[0] === 'OR') {
      words.shift()
      met = both() || met
    }
    return met
  }
  const both = (): boolean => {
    let met = one()
    while (words[0] === 'AND') {
      words.shift()
      met = one() && met
    }
    return met
  }
  const one = (): boolean => {
    const word = words.shift()
    if (word !== '(') return word !== undefined && allowed.includes(word)
    const met = either()
    return words.shift() === ')' && met
  }
  // What is left over was not understood: an exception (WITH), or no SPDX expression at all.
  return either() && words.length === 0
}
