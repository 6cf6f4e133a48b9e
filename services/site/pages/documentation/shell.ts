import type { Guide } from '../guides.ts'
import { linkTo } from './markup.ts'
import { type Resource, resourceAnchor } from './resources.ts'

export const TITLE = 'Sourcing and Manufacturing Marketplace'
export const REFERENCE = '/docs/api'

const text = Bun.escapeHTML

/** The bar of every page of the documentation. */
const bar = (current: 'guides' | 'reference', actions = '') => `<header class="bar">
<a class="brand" href="/docs"><img src="/favicon.ico" alt="" width="22" height="22"> <span>Marketplace</span></a>
<nav aria-label="Documentation"><a href="/docs"${current === 'guides' ? ' aria-current="true"' : ''}>Guides</a>
<a href="${REFERENCE}"${current === 'reference' ? ' aria-current="true"' : ''}>API<span class="wide"> reference</span></a></nav>
<search><input id="search" type="search" placeholder="Search" aria-label="Search guides and operations" autocomplete="off">
<ul class="results" hidden></ul></search>
${actions}</header>`

const page = (title: string, styles: readonly string[], body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
${styles.map((name) => `<link rel="stylesheet" href="/docs/${name}">`).join('\n')}
</head>
${body}
</html>
`

const list = (items: readonly string[]) => `<ul>${items.map((item) => `<li>${item}</li>`).join('\n')}</ul>`

/** A list for each group, below its name. */
const grouped = <Item extends { group: string }>(items: readonly Item[], write: (item: Item) => string) =>
  Object.entries(Object.groupBy(items, ({ group }) => group))
    .map(([group, each = []]) => `<h3>${group}</h3>${list(each.map(write))}`)
    .join('\n')

function sidebar(guides: readonly Guide[], resources: readonly Resource[], current?: string): string {
  const guide = (each: Guide) =>
    `<a href="${linkTo(each)}"${each.name === current ? ' aria-current="page"' : ''}>${text(each.title)}</a>`
  const resource = ({ name }: Resource) => `<a href="${REFERENCE}#${resourceAnchor(name)}">${text(name)}</a>`
  return `<nav class="sidebar" aria-label="Contents"><details open><summary>Contents</summary>
<h2>Guides</h2>
${grouped(guides, guide)}
<h2>API reference</h2>
${grouped(resources, resource)}
</details></nav>`
}

interface Contents {
  guides: readonly Guide[]
  resources: readonly Resource[]
}

interface Written extends Contents {
  html: string
  headings: readonly { id: string; html: string }[]
}

interface GuidePage extends Written {
  guide: Guide
}

interface TextPage extends Written {
  title: string
  /** The address of its Markdown. */
  source: string
  /** The name of the guide that it is. */
  current?: string
}

const outline = (headings: Written['headings']) =>
  `<nav class="outline" aria-label="On this page"><h2>On this page</h2>${list(headings.map(({ id, html }) => `<a href="#${id}">${html}</a>`))}</nav>`

const SCRIPT = '<script type="module" src="/docs/site.js"></script>'

/** A text of the documentation. */
export const textPage = ({ title, source, current, html, headings, guides, resources }: TextPage): string =>
  page(
    `${title} · ${TITLE}`,
    ['site.css', 'text.css'],
    `<body class="guide">
${bar('guides')}
${sidebar(guides, resources, current)}
<main class="text">
<p class="source"><a href="${source}">Markdown</a></p>
${html}
</main>
${outline(headings)}
${SCRIPT}
</body>`,
  )

/** A guide with the ones before and after it. */
export function guidePage({ guide, html, ...written }: GuidePage): string {
  const { guides } = written
  const at = guides.indexOf(guide)
  const step = (rel: string, label: string, other: Guide | undefined) =>
    other
      ? `<a class="card" rel="${rel}" href="${linkTo(other)}"><small>${label}</small>${text(other.title)}</a>`
      : '<span></span>'
  const steps = `<nav class="steps" aria-label="Guides">${step('prev', 'Previous', guides[at - 1])}${step('next', 'Next', guides[at + 1])}</nav>`
  const { name: current, title } = guide
  return textPage({ ...written, title, current, source: `${linkTo(guide)}.md`, html: `${html}\n${steps}` })
}

/** The first page: the guides by task, the resources, and what programs read. */
interface Overview extends Contents {
  introduction: string
  hasConsole: boolean
}

export function overviewPage({ guides, resources, introduction, hasConsole }: Overview): string {
  const [first] = guides
  const guide = (each: Guide) =>
    `<a href="${linkTo(each)}">${text(each.title)}</a> <span>${inline(each.summary)}</span>`
  const resource = ({ name, description }: Resource) =>
    `<a href="${REFERENCE}#${resourceAnchor(name)}">${text(name)}</a> <span>${inline(description)}</span>`
  return page(
    `${TITLE}: API`,
    ['site.css', 'text.css'],
    `<body class="overview">
${bar('guides')}
${sidebar(guides, resources)}
<main class="text">
<h1>${TITLE}</h1>
${Bun.markdown.html(introduction)}
<p class="begin">${first ? `<a class="card" href="${linkTo(first)}">${text(first.title)}</a>` : ''}<a class="card" href="${REFERENCE}">API reference</a>${hasConsole ? '<a class="card" href="/console">Console for people</a>' : ''}</p>
<h2>Guides</h2>
${grouped(guides, guide)}
<h2>Resources</h2>
${grouped(resources, resource)}
<h2>For programs</h2>
${list([
  '<a href="/openapi.json">OpenAPI 3.1</a> <span>Every operation, for generated clients and tools.</span>',
  '<a href="/asyncapi.json">AsyncAPI 3</a> <span>Every event of webhooks and of the streams.</span>',
  '<a href="/llms.txt">llms.txt</a> <span>The guides and operations as Markdown, for language models. Each guide is also at its address with <code>.md</code>, and each operation at <code>/docs/api/createPart.md</code>.</span>',
])}
</main>
${SCRIPT}
</body>`,
  )
}

const inline = (markdown: string) => Bun.markdown.html(markdown).replace(/^<p>|<\/p>\s*$/g, '')

/** The API reference, which its own modules fill. */
export const referencePage = (): string =>
  page(
    `API reference · ${TITLE}`,
    ['site.css', 'reference.css'],
    `<body class="reference">
${bar(
  'reference',
  `<p id="outcome" role="status"></p>
<button type="button" id="sign-in">Sign in</button>
<button type="button" id="sign-out" hidden>Sign out</button>
`,
)}
<dialog id="dialog" aria-labelledby="dialog-title">
<form method="dialog" id="credentials">
<h2 id="dialog-title">Sign in</h2>
<label>E-mail <input name="username" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<p id="refusal" role="alert"></p>
<div class="buttons"><button type="submit">Sign in</button><button type="button" id="cancel">Cancel</button></div>
</form>
</dialog>
<noscript>The API reference needs JavaScript. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<main id="reference"></main>
<script type="module" src="/docs/reference/standalone.esm.js"></script>
<script type="module" src="/docs/reference.js"></script>
${SCRIPT}
</body>`,
  )
