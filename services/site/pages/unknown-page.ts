import type { UnknownPage } from '../../kit/http/target.ts'

/** The headers of the page. It loads its style sheet and icon only from the same origin. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
}

const unknownPageText = (path: string, detail: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not found · Sourcing and Manufacturing Marketplace</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="/docs/form.css">
</head>
<body>
<main>
<p class="brand"><img src="/favicon.ico" alt="" width="28" height="28"> Sourcing and Manufacturing Marketplace</p>
<h1>Not found</h1>
<p>${Bun.escapeHTML(detail)}</p>
<p class="hint"><code>${Bun.escapeHTML(path)}</code></p>
<p>The <a href="/docs">documentation</a> has the guides, and the <a href="/docs/api">API reference</a> every operation.</p>
</main>
</body>
</html>
`

/** What a browser shows at an address that does not exist. */
export const unknownPage: UnknownPage = (path, detail) => ({ text: unknownPageText(path, detail), headers: HEADERS })
