import { Raw } from '../../kit/http/raw.ts'
import { prefersPage } from '../../kit/http/target.ts'
import { PAGE_HEADERS } from './assets.ts'

const en = {
  language: 'en',
  title: 'Sourcing and Manufacturing Marketplace',
  what: 'Companies find who can make a part, ask for quotations, place orders and track them to delivery.',
  signIn: 'Sign in',
  groups: [
    [
      'You buy parts',
      'Ask several manufacturers for sealed offers, compare them side by side, award, and see what is late. You decide who sees your drawings.',
    ],
    [
      'You make parts',
      'Show what your factories can do, receive invitations that match, quote in a form instead of a spreadsheet, and report each step of an order once.',
    ],
    [
      'You write software',
      'One API for catalogs, parts, RFQs, offers and orders, signed webhooks, clients for TypeScript and Python, and a command line.',
    ],
  ],
  documentation: 'Documentation',
  reference: 'API reference',
  account:
    'Your organization needs an account? The operator of this marketplace creates it, and your administrator invites you.',
} as const

const de: {
  [Key in keyof typeof en]: (typeof en)[Key] extends string ? string : readonly (readonly [string, string])[]
} = {
  language: 'de',
  title: 'Marktplatz für Beschaffung und Fertigung',
  what: 'Unternehmen finden, wer ein Teil fertigen kann, fragen Angebote an, vergeben Aufträge und verfolgen sie bis zur Lieferung.',
  signIn: 'Anmelden',
  groups: [
    [
      'Sie kaufen Teile',
      'Fragen Sie mehrere Hersteller nach verdeckten Angeboten, vergleichen Sie diese nebeneinander, vergeben Sie, und sehen Sie, was sich verspätet. Sie bestimmen, wer Ihre Zeichnungen sieht.',
    ],
    [
      'Sie fertigen Teile',
      'Zeigen Sie, was Ihre Werke können, erhalten Sie passende Einladungen, bieten Sie in einem Formular statt einer Tabelle an, und melden Sie jeden Schritt eines Auftrags einmal.',
    ],
    [
      'Sie schreiben Software',
      'Eine API für Kataloge, Teile, Anfragen, Angebote und Aufträge, signierte Webhooks, Clients für TypeScript und Python und eine Kommandozeile.',
    ],
  ],
  documentation: 'Dokumentation',
  reference: 'API-Referenz',
  account:
    'Ihre Organisation braucht ein Konto? Der Betreiber dieses Marktplatzes legt es an, und Ihre Administration lädt Sie ein.',
}

const pageOf = (t: typeof en | typeof de, hasConsole: boolean) => `<!doctype html>
<html lang="${t.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${t.title}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="/docs/form.css">
</head>
<body class="welcome">
<main>
<p class="brand"><img src="/favicon.ico" alt="" width="28" height="28"> Marketplace</p>
<h1>${t.title}</h1>
<p>${t.what}</p>
${hasConsole ? `<p><a class="begin" href="/console">${t.signIn}</a></p>` : ''}
<div class="groups">
${t.groups.map(([title, text]) => `<section>\n<h2>${title}</h2>\n<p>${text}</p>\n</section>`).join('\n')}
</div>
<p><a href="/docs">${t.documentation}</a> · <a href="/docs/api">${t.reference}</a></p>
<p class="hint">${t.account}</p>
</main>
</body>
</html>
`

/** What a browser shows at `/`, in German for one that prefers it. Programs are redirected to the documentation. */
export function welcome({ request, hasConsole }: { request: Request; hasConsole: boolean }): Raw {
  const vary = { vary: 'Accept, Accept-Language' }
  if (!prefersPage(request)) return new Raw(null, 'text/plain', { location: '/docs', ...vary }, 302)
  const texts = /^de\b/i.test(request.headers.get('accept-language') ?? '') ? de : en
  return new Raw(pageOf(texts, hasConsole), 'text/html; charset=utf-8', { ...PAGE_HEADERS, ...vary })
}
