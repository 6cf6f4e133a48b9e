import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { me, permits } from '../me.ts'
import { registrationMode } from '../registration-mode.ts'
import { t } from '../texts.ts'
import { Page } from '../ui/page.tsx'

const TABS: readonly [path: string, label: string, isShown: () => boolean][] = [
  ['/console/organization', t.organization.people, () => true],
  ['/console/organization/roles', t.organization.roles, () => true],
  [
    '/console/organization/service-accounts',
    t.organization.serviceAccounts,
    () => permits('GET /flows/v1/service-accounts'),
  ],
  [
    '/console/organization/identity-providers',
    t.organization.identityProviders,
    () => permits('GET /flows/v1/identity-providers'),
  ],
  ['/console/organization/sign-in', t.organization.signIn, () => permits('GET /flows/v1/sign-in-settings')],
  ['/console/organization/mail', t.organization.mail, () => permits('GET /flows/v1/mail-addresses')],
  [
    '/console/organization/impersonation',
    t.organization.impersonation,
    () => permits('GET /flows/v1/impersonation-grants'),
  ],
  [
    '/console/organization/registrations',
    t.registrations.list,
    () => registrationMode !== 'closed' && permits('GET /flows/v1/registrations'),
  ],
  ['/console/organization/audit-log', t.organization.auditLog, () => permits('GET /v1/audit-log')],
]

interface OrganizationPageProps {
  actions?: ComponentChildren
  children: ComponentChildren
  /** A section of its own below the list. */
  below?: ComponentChildren
}

/** A view of the organization, with the way to the others. */
export function OrganizationPage({ actions, children, below }: OrganizationPageProps) {
  const { path } = useLocation()
  const name = me.value?.organization.name ?? ''
  const tabs = useRef<HTMLElement>(null)
  // The tabs of a narrow window are wider than it.
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  return (
    <Page title={TABS.find(([address]) => address === path)?.[1] ?? name} over={name} actions={actions}>
      <nav ref={tabs} class="tabs" aria-label={t.nav.organization}>
        {TABS.filter(([, , isShown]) => isShown()).map(([address, label]) => (
          <a key={address} href={address} aria-current={address === path ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <section class="panel list">{children}</section>
      {below}
    </Page>
  )
}
