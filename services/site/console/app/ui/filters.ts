import { useLocation } from 'preact-iso/router'

/** The values of the filters that are set, as a query. */
export const setIn = <F extends Record<string, { value: string }>>(filters: F) =>
  Object.fromEntries(Object.entries(filters).flatMap(([name, { value }]) => (value === '' ? [] : [[name, value]]))) as {
    [Name in keyof F]?: Exclude<F[Name]['value'], ''>
  }

/** A filter of a list. It is kept in the address, so that the way back and a copied address have it. */
export function useFilter<T extends string = string>(
  name: string,
  initial: NoInfer<T>,
  allowed?: readonly T[],
): { value: T } {
  const { query, route } = useLocation()
  const given = query[name] as T | undefined
  return {
    get value() {
      return given === undefined || (allowed && !allowed.includes(given)) ? initial : given
    },
    set value(chosen) {
      const parameters = new URLSearchParams(location.search)
      if (chosen === initial) parameters.delete(name)
      else parameters.set(name, chosen)
      const text = parameters.toString()
      route(location.pathname + (text && `?${text}`), true)
    },
  }
}
