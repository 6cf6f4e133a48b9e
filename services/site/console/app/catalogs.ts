import { signal } from '@preact/signals'
import { market } from './api.ts'

export type Options = readonly (readonly [value: string, label: string])[]

/**
 * The entries of a catalog for a choice, read when they are first needed. Catalogs change rarely, so once is enough.
 */
function optionsOf(read: () => AsyncIterable<readonly [string, string]>) {
  const options = signal<Options>([])
  let isRead = false
  return () => {
    if (!isRead) {
      isRead = true
      Array.fromAsync(read()).then(
        (entries) => {
          options.value = entries.sort(([, one], [, other]) => one.localeCompare(other))
        },
        () => {
          isRead = false
        },
      )
    }
    return options.value
  }
}

/** The material types of the materials and of the processes that were read, by code. */
const materialTypes = new Map<string, string>()
const processTypes = new Map<string, string>()
export const materialTypeOf = (code: string) => materialTypes.get(code)

export const materials = optionsOf(async function* () {
  for await (const { code, name, type } of market.pages('/v1/materials')) {
    materialTypes.set(code, type)
    yield [code, name] as const
  }
})
export const technologies = optionsOf(async function* () {
  for await (const { id, label } of market.pages('/v1/technologies')) yield [id, label] as const
})
export const processes = optionsOf(async function* () {
  for (const { code, name, materialType } of (await market.GET('/v1/processes')).data.items) {
    processTypes.set(code, materialType)
    yield [code, name] as const
  }
})
/** The processes for materials of a type, or all. */
export const processesOf = (materialType: string | undefined) =>
  processes().filter(([code]) => materialType === undefined || processTypes.get(code) === materialType)
export const standards = optionsOf(async function* () {
  for (const { code, title } of (await market.GET('/v1/standards')).data.items) yield [code, title] as const
})
export const criticalities = optionsOf(async function* () {
  for (const { code, name, governingBody } of (await market.GET('/v1/criticalities')).data.items)
    yield [code, `${governingBody}: ${name}`] as const
})

/** A choice that may be left open. */
export const orNone = (options: Options): Options => [['', '–'], ...options]
export const labelIn = (options: Options, value: string | undefined) =>
  options.find(([option]) => option === value)?.[1] ?? value

/** Categories as options, with their codes. */
export const categoryOption = ({ id, name, code }: { id: string; name: string; code?: string }) =>
  [id, code ? `${name} (${code})` : name] as const
export const unspscOption = ({ id, ...titles }: Record<string, unknown> & { id: string }) => {
  const { commodityTitle, classTitle, familyTitle, segmentTitle } = titles
  return [id, `${commodityTitle ?? classTitle ?? familyTitle ?? segmentTitle ?? id} (${id})`] as const
}
export const categoriesOf = async (ids: readonly string[]): Promise<Options> =>
  (await market.POST('/v1/categories:batch-get', { body: { ids: [...ids] } })).data.items.map(categoryOption)
export const unspscCategoriesOf = async (ids: readonly string[]): Promise<Options> =>
  (await market.POST('/v1/unspsc-categories:batch-get', { body: { ids: [...ids] } })).data.items.map(unspscOption)
