import { ERRORS } from '../../../../proto/errors.ts'
import type { Guide } from '../guides.ts'
import { ERROR_CODES_TITLE } from './errors.ts'
import { addressedSections, linkTo } from './markup.ts'
import { operationAnchor, type Resource } from './resources.ts'
import { REFERENCE, TITLE } from './shell.ts'

/** An entry of the search: a section of a guide, an error code, or an operation. */
interface SearchEntry {
  title: string
  /** The guide or resource that it belongs to. */
  of: string
  url: string
  text: string
  /** Factor of its score. */
  weight?: number
}

/** What the search finds: every section of every guide, every error code and every operation. */
export const searchEntries = (
  guides: readonly { guide: Guide; html: string }[],
  resources: readonly Resource[],
): SearchEntry[] => [
  ...guides.flatMap(({ guide, html }) =>
    addressedSections(guide, html).map(({ heading, text, url }) => ({
      ...{ title: heading, of: guide.title, url, text },
      // The changelog has every word, and explains none.
      ...(guide.name === 'changes' ? { weight: 0.2 } : {}),
    })),
  ),
  ...Object.entries(ERRORS).map(([code, { title, cause, remedy }]) => ({
    title: code,
    of: ERROR_CODES_TITLE,
    url: `/docs/errors#${code}`,
    text: `${title}\n${cause}\n${remedy}`,
    // A guide on the subject comes first.
    weight: 0.25,
  })),
  ...resources.flatMap(({ name, operations }) =>
    operations.map(({ summary, description = '', method, path }) => ({
      title: summary,
      of: name,
      url: `${REFERENCE}#${operationAnchor(name, method, path)}`,
      text: `${method.toUpperCase()} ${path}\n${description}`,
    })),
  ),
]

interface Contents {
  guides: readonly Guide[]
  resources: readonly Resource[]
  introduction: string
  publicUrl: string
}

/** The operations of a resource on one line, because there are more than a hundred and fifty. */
const operationsLine = ({ name, operations }: Resource) =>
  `- ${name}: ${operations.map(({ operationId, method, path }) => `${operationId} (${method.toUpperCase()} ${path})`).join(', ')}`

/** The contents of `/llms.txt` (llmstxt.org). */
export function llmsText({ guides, resources, introduction, publicUrl }: Contents): string {
  const link = (title: string, path: string, about: string) => `- [${title}](${publicUrl}${path}): ${about}`
  return [
    `# ${TITLE}`,
    `> ${introduction.replaceAll('\n\n', '\n').replaceAll('\n', '\n> ')}`,
    '## Guides',
    guides.map((guide) => link(guide.title, `${linkTo(guide)}.md`, guide.summary)).join('\n'),
    '## Clients',
    link(
      'TypeScript, Python and a command line',
      '/docs/guides/getting-started.md#clients-and-a-command-line',
      'how to install the clients and the command `marketplace`, and how they sign in',
    ),
    '## Operations',
    `Each is a page, such as ${publicUrl}/docs/api/createPart.md for \`createPart\`: method, path, permission, parameters, body, answers and errors.`,
    resources.map(operationsLine).join('\n'),
    '## Contracts',
    [
      link('OpenAPI 3.1', '/openapi.json', 'every operation with its parameters, bodies, answers and errors'),
      link('AsyncAPI 3', '/asyncapi.json', 'every event of webhooks and of the streams of NATS JetStream'),
      link('Error codes', '/docs/errors.md', 'every error code with its cause and remedy'),
    ].join('\n'),
    '## Optional',
    link('All guides', '/docs/guides.md', 'the guides above as one file'),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n')
}
