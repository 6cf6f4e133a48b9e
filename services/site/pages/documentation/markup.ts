import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Guide, sectionsOf } from '../guides.ts'

const DRAWINGS = join(import.meta.dir, 'states')
const drawings = new Map(
  readdirSync(DRAWINGS).map((file) => [file.replace('.svg', ''), readFileSync(join(DRAWINGS, file), 'utf8')]),
)

const DIAGRAM = /<!-- states of (\w+) -->[\s\S]*?<!-- \/states -->/g
const TABLE = /<table>[\s\S]*?<\/table>/g
/** Blocks of code in a language of programs, one after the other. */
const SAMPLES = /(?:<pre><code class="language-(?:sh|ts|python|go)">(?:(?!<\/pre>)[\s\S])*<\/pre>\s*){2,}/g
const HEADING = /<h2 id="([^"]*)">([\s\S]*?)<\/h2>/g

export const linkTo = ({ name }: Pick<Guide, 'name'>) => `/docs/guides/${name}`

/**
 * The HTML of a guide: drawn diagrams, tables that scroll by themselves, and the same request in several languages as
 * tabs.
 */
export function htmlOf({ markdown }: Pick<Guide, 'markdown'>, guides: readonly Guide[]): string {
  const linked = guides.reduce(
    (text, guide) => text.replaceAll(`"${guide.title}"`, `[${guide.title}](${linkTo(guide)})`),
    markdown,
  )
  return Bun.markdown
    .html(linked, { headings: { ids: true } })
    .replaceAll(DIAGRAM, (_, name: string) => `<figure>${drawings.get(name) ?? ''}</figure>`)
    .replaceAll(TABLE, (table) => `<div class="table">${table}</div>`)
    .replaceAll(SAMPLES, (samples) => `<div class="samples">${samples.trim()}</div>\n`)
    .replaceAll(HEADING, '<h2 id="$1"><a href="#$1">$2</a></h2>')
}

/** The headings of a page, with their ids. */
export const headingsOf = (html: string): { id: string; html: string }[] =>
  [...html.matchAll(HEADING)].map(([, id = '', link = '']) => ({ id, html: link.replace(/<\/?a[^>]*>/g, '') }))

/** The sections of a guide with their addresses, for the search. */
export function addressedSections(guide: Guide, html: string): { heading: string; text: string; url: string }[] {
  const headings = headingsOf(html)
  return sectionsOf(guide).map(({ heading, text }, index) => {
    const anchor = headings[index - 1]
    return { heading, text, url: anchor ? `${linkTo(guide)}#${anchor.id}` : linkTo(guide) }
  })
}
