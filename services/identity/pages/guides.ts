import { join } from 'node:path'

const FOLDER = join(import.meta.dir, '..', '..', '..', 'proto', 'guides')

/** In the order of the page. */
export const GUIDES = [
  'getting-started',
  'sign-in',
  'service-accounts',
  'errors',
  'paging',
  'retries',
  'parts-and-files',
  'trade',
  'webhooks',
  'organization',
] as const

/** All guides as one Markdown text. */
export const readGuides = async (): Promise<string> =>
  (await Promise.all(GUIDES.map((name) => Bun.file(join(FOLDER, `${name}.md`)).text()))).join('\n')
