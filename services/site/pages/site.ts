import asyncapi from '../../../proto/asyncapi.json' with { type: 'json' }
import openapi from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { JsonText } from '../../kit/db/json-text.ts'
import { Asset, MARKDOWN, PAGE_HEADERS, pageHeaders } from './assets.ts'
import { ERROR_CODES_TITLE, errorCodes, withCodesAsIds } from './documentation/errors.ts'
import { headingsOf, htmlOf } from './documentation/markup.ts'
import { operationPages } from './documentation/operations.ts'
import { type ApiDocument, documentByResource, resourcesOf } from './documentation/resources.ts'
import { guidePage, overviewPage, referencePage, textPage } from './documentation/shell.ts'
import { llmsText, searchEntries } from './documentation/texts.ts'
import { readGuides } from './guides.ts'
import { openApi30 } from './openapi-30.ts'

/** The API reference writes style sheets into its page. */
const REFERENCE_HEADERS = pageHeaders("'self' 'unsafe-inline'")

const HTML = 'text/html; charset=utf-8'

const textAsset = (mediaType: string, read: () => string, headers?: Record<string, string>) =>
  new Asset(mediaType, async () => Buffer.from(read()), headers)

/** The documentation: its pages and texts, made from the guides and the OpenAPI document. */
export async function documentationSite(publicUrl: string, hasConsole: boolean) {
  const document = {
    ...openapi,
    info: { ...openapi.info, contact: { ...openapi.info.contact, url: publicUrl } },
  } as unknown as ApiDocument
  const introduction = document.info.description
  const resources = resourcesOf(document)
  const guides = await readGuides(publicUrl)
  const written = guides.map((guide) => ({ guide, html: htmlOf(guide, guides) }))
  const codes = errorCodes()
  const page = (read: () => string, headers = PAGE_HEADERS) => textAsset(HTML, read, headers)
  return {
    openapi: new JsonText(JSON.stringify(document)),
    openapi30: new JsonText(JSON.stringify(openApi30(document))),
    asyncapi: new JsonText(JSON.stringify(asyncapi)),
    overview: page(() => overviewPage({ guides, resources, introduction, hasConsole })),
    reference: page(referencePage, REFERENCE_HEADERS),
    errors: page(() => {
      const html = withCodesAsIds(htmlOf({ markdown: codes }, guides))
      return textPage({
        title: ERROR_CODES_TITLE,
        source: '/docs/errors.md',
        html,
        headings: headingsOf(html),
        guides,
        resources,
      })
    }),
    /** By name, as a page and, with `.md`, as Markdown. */
    guides: new Map<string, Asset>(
      written.flatMap(({ guide, html }) => [
        [guide.name, page(() => guidePage({ guide, html, headings: headingsOf(html), guides, resources }))],
        [`${guide.name}.md`, textAsset(MARKDOWN, () => guide.markdown)],
      ]),
    ),
    /** By id, as Markdown. */
    operations: new Map<string, Asset>(
      [...operationPages(document, publicUrl)].map(([id, text]) => [`${id}.md`, textAsset(MARKDOWN, () => text)]),
    ),
    llms: textAsset('text/plain; charset=utf-8', () => llmsText({ guides, resources, introduction, publicUrl })),
    assets: new Map<string, Asset>([
      ['openapi.json', textAsset('application/json', () => JSON.stringify(documentByResource(document)))],
      ['errors.md', textAsset(MARKDOWN, () => codes)],
      ['guides.md', textAsset(MARKDOWN, () => guides.map(({ markdown }) => markdown).join('\n'))],
      ['search.json', textAsset('application/json', () => JSON.stringify(searchEntries(written, resources)))],
    ]),
  }
}
