/** The text of the first element of that name. */
export const elementIn = (xml: string, name: string): string | undefined => elementsIn(xml, name)[0]

/** The inside of every element of that name; none of those that a store answers stands in itself. */
export const elementsIn = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, inside = '']) => unescaped(inside))

const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#34;': '"',
  '&apos;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

const unescaped = (text: string) =>
  text.replaceAll(/&(?:quot|#34|apos|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
