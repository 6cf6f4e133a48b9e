/** The text of the first element of this name. */
export const elementIn = (xml: string, name: string): string | undefined => elementsIn(xml, name)[0]

/** The content of every element of this name. S3 never nests an element in one of the same name. */
export const elementsIn = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, 'g'))].map(([, content = '']) => unescaped(content))

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
