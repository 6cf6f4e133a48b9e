export const kebab = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()

/** As commander names the value of an option. */
export const camel = (flag: string): string => flag.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
