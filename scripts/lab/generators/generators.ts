/** A generator of clients, as the guide shows it and the check runs it. */
export interface Generator {
  language: string
  name: string
  version: string
  /** The document that it reads. */
  document: '/openapi.json' | '/openapi-3.0.json'
  /** What it needs beside the document. */
  options: string
}

const OPENAPI_GENERATOR = { name: 'openapi-generator', version: '7.16.0' }

export const GENERATORS = {
  java: { ...OPENAPI_GENERATOR, language: 'Java', document: '/openapi.json', options: '-g java --library native' },
  go: {
    ...OPENAPI_GENERATOR,
    language: 'Go',
    document: '/openapi.json',
    options: '-g go --additional-properties=enumClassPrefix=true',
  },
  typescript: {
    ...OPENAPI_GENERATOR,
    language: 'TypeScript',
    // Its classes of webhooks import nothing by name, so they do not compile.
    document: '/openapi-3.0.json',
    options: '-g typescript-fetch',
  },
  python: { ...OPENAPI_GENERATOR, language: 'Python', document: '/openapi.json', options: '-g python' },
  rust: { ...OPENAPI_GENERATOR, language: 'Rust', document: '/openapi.json', options: '-g rust' },
  oapiCodegen: {
    name: 'oapi-codegen',
    version: '2.5.1',
    language: 'Go',
    document: '/openapi-3.0.json',
    options: '-generate types,client',
  },
  ogen: { name: 'ogen', version: '1.24.0', language: 'Go', document: '/openapi-3.0.json', options: '' },
} as const satisfies Record<string, Generator>

/** The rows of the guide. */
export const tableOf = (generators: readonly Generator[]): string =>
  [
    '| language | generator | document | options |',
    '|---|---|---|---|',
    ...generators.map(
      ({ language, name, version, document, options }) =>
        `| ${language} | ${name} ${version} | \`${document}\` | ${options === '' ? 'none' : `\`${options}\``} |`,
    ),
  ].join('\n')
