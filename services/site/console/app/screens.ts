import { can, permits } from './me.ts'
import { t } from './texts.ts'
import type { IconName } from './ui/icon.tsx'

interface Screen {
  path: string
  label: string
  icon: IconName
  /** The key that opens it after `g`. */
  key: string
  isShown: () => boolean
}

const TRADE = ['app:consumer', 'app:manufacturer', 'app:ip-owner'] as const

/** The screens of the navigation in groups, for those who can use them. */
const GROUPS: readonly (readonly [label: string, screens: readonly Screen[]])[] = [
  [
    '',
    [
      { path: '/console', label: t.nav.home, icon: 'house', key: 'h', isShown: () => true },
      { path: '/console/rfqs', label: t.nav.rfqs, icon: 'clipboard-list', key: 'r', isShown: () => can(...TRADE) },
      {
        path: '/console/orders',
        label: t.nav.orders,
        icon: 'package',
        key: 'o',
        isShown: () => can(...TRADE, 'app:seller', 'app:distributor'),
      },
      {
        path: '/console/cases',
        label: t.nav.cases,
        icon: 'messages-square',
        key: 'c',
        isShown: () => permits('GET /flows/v1/cases'),
      },
    ],
  ],
  [
    t.nav.catalog,
    [
      { path: '/console/parts', label: t.nav.parts, icon: 'box', key: 'p', isShown: () => can(...TRADE) },
      {
        path: '/console/subscriptions',
        label: t.nav.subscriptions,
        icon: 'bell',
        key: 's',
        isShown: () => can('rfq:create', 'part:publish'),
      },
      {
        path: '/console/factories',
        label: t.nav.factories,
        icon: 'factory',
        key: 'f',
        isShown: () => can('app:consumer', 'app:manufacturer'),
      },
      {
        path: '/console/releases',
        label: t.nav.releases,
        icon: 'share-2',
        key: 'l',
        isShown: () => permits('GET /flows/v1/factory-releases'),
      },
      {
        path: '/console/customers',
        label: t.nav.customers,
        icon: 'users',
        key: 'u',
        isShown: () => permits('GET /flows/v1/distributor/rfqs'),
      },
      {
        path: '/console/sales-agreements',
        label: t.nav.agreements,
        icon: 'handshake',
        key: 'a',
        isShown: () => can('app:manufacturer', 'app:seller'),
      },
    ],
  ],
  [
    t.nav.settings,
    [
      {
        path: '/console/organization',
        label: t.nav.organization,
        icon: 'building',
        key: 'z',
        isShown: () => can('org:admin', 'user:manage', 'role:manage'),
      },
      {
        path: '/console/webhooks',
        label: t.nav.webhooks,
        icon: 'webhook',
        key: 'w',
        isShown: () => permits('GET /v2.3/webhooks/endpoints'),
      },
    ],
  ],
]

/** The groups with the screens that the caller can use. */
export const screenGroups = () =>
  GROUPS.map(([label, screens]) => [label, screens.filter(({ isShown }) => isShown())] as const).filter(
    ([, screens]) => screens.length > 0,
  )

export const screens = () => screenGroups().flatMap(([, each]) => each)

/** Packages are reached from RFQs. */
export function isCurrent(screen: string, path: string): boolean {
  const shown = path.replace('/console/packages', '/console/rfqs')
  return screen === '/console' ? path === screen : shown.startsWith(screen)
}

/** What a person may begin, with the address that opens it. */
export const beginnings = (): readonly (readonly [label: string, path: string])[] =>
  [
    [t.rfqs.create, '/console/rfqs/new', 'POST /flows/v1/rfqs'],
    [t.packages.create, '/console/packages/new', 'POST /flows/v1/rfq-packages'],
    [t.parts.create, '/console/parts?begin=new', 'POST /v1/parts'],
    [t.imports.title, '/console/parts/import', 'POST /flows/v1/part-imports'],
    [t.factories.create, '/console/factories?begin=new', 'POST /flows/v1/factories'],
    [t.people.invite, '/console/organization?begin=new', 'POST /flows/v1/users'],
  ]
    .filter(([, , operation]) => permits(operation ?? ''))
    .map(([label = '', path = '']) => [label, path])
