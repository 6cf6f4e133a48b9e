import { join } from 'node:path'

const FOLDER = join(import.meta.dir, '..', '..', '..', 'proto', 'guides')
/** The one guide that is kept elsewhere. */
const CHANGELOG = join(FOLDER, '..', '..', 'CHANGELOG.md')
const LOCAL = 'http://localhost:8080'

/** The guides by task, in the order in which they are read. */
const GUIDE_GROUPS = {
  Start: ['getting-started', 'sign-in', 'service-accounts'],
  Trade: ['parts-and-files', 'trade'],
  Events: ['webhooks', 'event-streams'],
  Administration: ['organization', 'company-sign-in', 'provisioning', 'passkeys'],
  Conventions: ['errors', 'paging', 'retries', 'limits', 'compatibility'],
  More: ['trying-out', 'generated-clients', 'changes'],
} as const

export interface Guide {
  name: string
  /** The task that it belongs to. */
  group: string
  title: string
  /** The first sentence. */
  summary: string
  markdown: string
}

/** All guides in their order, with the address of this marketplace in their requests. */
export const readGuides = (publicUrl: string): Promise<Guide[]> =>
  Promise.all(
    Object.entries(GUIDE_GROUPS).flatMap(([group, names]) =>
      names.map(async (name) => {
        const path = name === 'changes' ? CHANGELOG : join(FOLDER, `${name}.md`)
        const markdown = (await Bun.file(path).text()).replaceAll(LOCAL, publicUrl)
        return { name, group, markdown, ...openingOf(markdown) }
      }),
    ),
  )

function openingOf(markdown: string) {
  const [heading = '', ...blocks] = markdown.split('\n\n')
  const text = blocks.find((block) => !block.startsWith('#'))?.replaceAll('\n', ' ') ?? ''
  const [summary = text] = /^.*?[.:](?= |$)/.exec(text) ?? []
  return { title: heading.replace(/^# /, ''), summary: summary.replace(/:$/, '.') }
}

/** The sections of a guide, by their headings; the first one is its opening. */
export function sectionsOf({
  title,
  markdown,
}: Pick<Guide, 'title' | 'markdown'>): { heading: string; text: string }[] {
  return markdown.split(/^## /m).map((section, index) => {
    const end = section.indexOf('\n')
    return { heading: index === 0 ? title : section.slice(0, end).trim(), text: section.slice(end) }
  })
}
