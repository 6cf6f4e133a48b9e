import type { OrgRole, Permission } from '../api.ts'
import { can, me } from '../me.ts'
import { roleName, t } from '../texts.ts'
import { Section } from '../ui/page.tsx'

/** The system role for the work of an organization's role, and the permission that it gives. */
const ROLES: Readonly<Record<OrgRole, readonly [role: string, permission: Permission]>> = {
  CONSUMER: ['Buyer', 'app:consumer'],
  IP_OWNER: ['IP owner', 'app:ip-owner'],
  MANUFACTURER: ['Manufacturer', 'app:manufacturer'],
  SELLER: ['Seller', 'app:seller'],
  DISTRIBUTOR: ['Distributor', 'app:distributor'],
}

/** The screen for the work of those whose start page has little of it. */
const WORK: readonly [role: OrgRole, path: string][] = [
  ['IP_OWNER', '/console/parts'],
  ['SELLER', '/console/orders'],
  ['DISTRIBUTOR', '/console/releases'],
]

/** What the roles of the caller allow, or why they allow nothing and who can change that. */
export function Standing() {
  if (can('app:consumer', 'app:manufacturer')) return null
  const { roles = [] } = me.value?.organization ?? {}
  const work = WORK.filter(([role]) => can(ROLES[role][1]))
  const missing = roles.filter((role) => !can(ROLES[role][1]))
  return (
    <Section title={t.standing.title}>
      {work.map(([role, path]) => (
        <p key={role}>
          {(t.standing.work as Readonly<Record<string, string>>)[role]} <a href={path}>{t.standing.open}</a>
        </p>
      ))}
      {work.length === 0 && <p>{roles.length === 0 ? t.standing.noTrade : t.standing.none}</p>}
      {missing.length > 0 && (
        <>
          <p class="quiet">{can('role:manage') ? t.standing.grant : t.standing.ask}</p>
          <ul>
            {missing.map((role) => (
              <li key={role}>
                {roleName({ name: ROLES[role][0], system: true })}: {t.standing.does[role]}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}
