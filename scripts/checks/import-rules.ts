import type { IForbiddenRuleType } from 'dependency-cruiser'

/** Tests and test support: `x.test.ts`, `services/testing`. Only the rules on tests apply to them. */
export const TESTS = String.raw`\.test\.ts$|^services/testing/`

/** The folders of the kit, lowest layer first: a folder imports only its own layer and the layers below. */
const KIT_LAYERS = [
  ['answers', 'errors', 'worker', 'config', 'log', 'metrics', 'traces', 'secrets', 'db', 'sessions', 'limits', 'csv'],
  ['auth', 'audit', 'idempotency', 'pagination', 'addresses'],
  ['bus', 'command'],
  ['http', 'migrate'],
  ['service'],
]
const kit = (layers: readonly string[][]) => `^services/kit/(${layers.flat().join('|')})/`

const ONE_SERVICE = '^services/(?!kit/|site/|all/|end-to-end/|testing/)[^/]+/'
/** Modules of a service by their file names; every other file is a consumer, a worker or another part of a feature. */
const modules = (...names: string[]) =>
  `^services/(?!kit/|site/|all/|end-to-end/|testing/).+/(${names.join('|')})\\.ts$`
const packages = (...names: string[]) => `(^|node_modules/)(${names.join('|')})(/|$)`

interface Direction {
  from: string
  /** Paths that the rule does not concern, besides tests. */
  except?: string
  to?: string
  toExcept?: string | string[]
}

const forbid = (name: string, { from, except, to, toExcept }: Direction): IForbiddenRuleType => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: except ? [TESTS, except] : TESTS },
  to: { ...(to && { path: to }), ...(toExcept && { pathNot: toExcept }) },
})

/** The import rules of the architecture for dependency-cruiser. A violation is reported by the name of its rule. */
export const IMPORT_RULES: IForbiddenRuleType[] = [
  { name: 'imports form no cycle', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'every import resolves',
    severity: 'error',
    // The examples import the package by its name.
    from: { pathNot: '^proto/clients/[^/]+/examples/' },
    to: { couldNotResolve: true },
  },

  forbid('main imports only service and config of its service', {
    from: modules('main'),
    to: `${ONE_SERVICE}(?!(service|config)\\.ts$)`,
  }),
  forbid('nothing imports main', { from: ONE_SERVICE, to: modules('main') }),
  forbid('only main imports service', { from: ONE_SERVICE, except: modules('main'), to: modules('service') }),
  forbid('only service and routes import routes', {
    from: ONE_SERVICE,
    except: modules('service', 'routes'),
    to: modules('routes'),
  }),
  forbid('queries import neither commands nor config', { from: modules('queries'), to: modules('commands', 'config') }),
  forbid('rules import only proto and other rules', {
    from: modules('rules'),
    toExcept: ['^proto/', modules('rules')],
  }),
  forbid('config imports only config of its service', {
    from: modules('config'),
    to: ONE_SERVICE,
    toExcept: modules('config'),
  }),
  forbid('commands and queries import no HTTP package', {
    from: modules('commands', 'queries'),
    to: packages('elysia', '@elysiajs'),
  }),

  forbid('services never import each other', {
    from: '^services/(?!kit/|site/|all/|end-to-end/|testing/)([^/]+)/',
    to: ONE_SERVICE,
    toExcept: '^services/$1/',
  }),
  forbid('services/all imports only service.ts and config.ts of a service', {
    from: '^services/all/',
    to: ONE_SERVICE,
    toExcept: `${ONE_SERVICE}(service|config)\\.ts$`,
  }),
  forbid('nothing imports services/all', { from: '^services/(?!all/)', to: '^services/all/' }),
  forbid('only tests import test support', { from: '^(services|proto)/', to: TESTS }),
  forbid('only scripts import scripts', { from: '^(services|proto)/', to: '^scripts/' }),
  {
    name: 'tests of a service import no other service',
    severity: 'error',
    from: { path: String.raw`^services/(?!kit/|site/|all/|end-to-end/|testing/)([^/]+)/.*\.test\.ts$` },
    to: { path: '^services/(?!kit/|testing/)', pathNot: '^services/$1/' },
  },
  {
    name: 'tests of the kit reach no service',
    severity: 'error',
    from: { path: String.raw`^services/kit/.*\.test\.ts$` },
    to: { path: '^services/(?!kit/|testing/)', reachable: true },
  },
  forbid('proto imports only proto and TypeBox', {
    from: '^proto/(?!clients/)',
    toExcept: ['^proto/(?!clients/)', packages('@sinclair/typebox')],
  }),
  forbid('a client imports nothing of the marketplace', {
    from: '^proto/clients/',
    to: '^(proto/(?!clients/)|services/|scripts/)',
  }),

  forbid(
    'the console is a client: it imports the TypeScript client, the states and names of the contract, and its libraries',
    {
      from: '^services/site/console/app/',
      toExcept: [
        '^services/site/console/app/',
        '^proto/(clients/typescript/src|states)/',
        '^proto/(permissions|procedures|territories|webhook-events)\\.ts$',
        packages(
          ...['preact', 'preact-iso', '@preact/signals', 'three', '@types/three', 'meshoptimizer'],
          '@simplewebauthn/browser',
        ),
      ],
    },
  ),
  forbid('only the bundler reads the sources of the console', {
    from: '^services/(?!site/console/app/)',
    to: '^services/site/console/app/',
  }),

  forbid('the site imports only kit and proto', {
    from: '^services/site/',
    to: '^services/',
    toExcept: '^services/(site|kit)/',
  }),
  forbid('only service.ts imports the site', {
    from: '^services/(?!site/)',
    except: modules('service'),
    to: '^services/site/',
  }),

  forbid('kit imports only proto', { from: '^services/kit/', to: '^services/(?!kit/)' }),
  forbid('every folder of the kit belongs to a layer', { from: '^services/kit/', except: kit(KIT_LAYERS) }),
  ...KIT_LAYERS.slice(0, -1).map((layer, at) =>
    forbid(`the kit layer of ${layer.join(', ')} imports no layer above it`, {
      from: kit([layer]),
      to: kit(KIT_LAYERS.slice(at + 1)),
    }),
  ),
  forbid('only kit/db and kit/sessions import postgres', {
    from: '^services/',
    except: '^services/kit/(db|sessions)/',
    to: packages('postgres'),
  }),
  forbid('only kit/bus imports nats', { from: '^services/', except: '^services/kit/bus/', to: packages('nats') }),
  {
    name: 'clients of NATS, SMTP and AWS are loaded where they are used, because they take megabytes of memory',
    severity: 'error',
    from: { path: '^services/', pathNot: [TESTS, '^services/kit/bus/nats/'] },
    to: {
      path: ['^services/kit/bus/nats/(?!options)', packages('nats', 'nodemailer', '@aws-sdk')],
      dynamic: false,
    },
  },
]

/** Checked without tests: a test of a low layer may use test support, which imports all layers. */
export const FOLDER_RULES: IForbiddenRuleType[] = [
  {
    name: 'the folders of the kit form no cycle',
    severity: 'error',
    scope: 'folder',
    from: { path: '^services/kit/' },
    to: { path: '^services/kit/', circular: true },
  },
  {
    name: 'the features of a service form no cycle',
    severity: 'error',
    scope: 'folder',
    from: { path: '^services/(?!kit/|testing/)' },
    to: { path: '^services/(?!kit/|testing/)', circular: true },
  },
]
