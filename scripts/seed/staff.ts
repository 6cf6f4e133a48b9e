import type { Permission } from '../../proto/permissions.ts'
import { beginAs } from '../../services/kit/auth/authorized.ts'
import type { Pool } from '../../services/kit/db/client.ts'
import { createRole } from '../../services/organization/roles/commands.ts'
import { findRoleByName } from '../../services/organization/roles/queries.ts'
import { deactivateUser } from '../../services/organization/user-states/commands.ts'
import { createUser } from '../../services/organization/users/commands.ts'
import { findUserByEmail } from '../../services/organization/users/queries.ts'
import { type Actor, contextOf, grantRoleNamed } from './people.ts'
import { type DemoOrganization, emailOf, type Person } from './story.ts'

/** Additional users and roles of an organization. */
interface Staff {
  roles: { name: string; permissions: Permission[] }[]
  /** The member of the organization can have a role here, too. `left`: a former employee, whose account is deactivated. */
  colleagues: (Person & { phone?: string; role: string; left?: true })[]
}

const STAFF: Record<string, Staff> = {
  'skagen-pumps': {
    roles: [
      { name: 'Drawing office', permissions: ['app:ip-owner', 'part:update', 'file:write'] },
      { name: 'Quality', permissions: ['case:read', 'case:manage'] },
    ],
    colleagues: [
      { givenName: 'Nikolaj', familyName: 'Toft', phone: '+45 98 00 11 20', role: 'Drawing office' },
      { givenName: 'Karen', familyName: 'Østergaard', phone: '+45 98 00 11 21', role: 'Drawing office' },
      { givenName: 'Rasmus', familyName: 'Winther', role: 'Quality' },
      { givenName: 'Poul', familyName: 'Mortensen', role: 'IP owner', left: true },
    ],
  },
  'aurora-offshore': {
    roles: [{ name: 'Subsea spares', permissions: ['app:consumer', 'rfq:create', 'part:update'] }],
    colleagues: [
      { givenName: 'Ragnhild', familyName: 'Aas', phone: '+47 51 00 22 30', role: 'Subsea spares' },
      { givenName: 'Sondre', familyName: 'Eide', role: 'Buyer' },
    ],
  },
  nordhavn: {
    // The system role of buyers cannot record a delivery or accept the goods.
    roles: [{ name: 'Goods receipt', permissions: ['app:consumer', 'order:update'] }],
    colleagues: [{ givenName: 'Mikkel', familyName: 'Friis', role: 'Goods receipt' }],
  },
  'vestland-additive': {
    roles: [{ name: 'Shift lead', permissions: ['app:manufacturer', 'order:update', 'assignment:read'] }],
    colleagues: [{ givenName: 'Torunn', familyName: 'Sæther', phone: '+47 55 00 33 40', role: 'Shift lead' }],
  },
}

/** Creates the missing users and roles of an organization, and grants the roles. */
export async function ensureStaff(sql: Pool, caller: Actor, org: DemoOrganization): Promise<void> {
  const { roles, colleagues } = STAFF[org.key] ?? { roles: [], colleagues: [] }
  const begin = beginAs(sql, caller)
  const now = () => new Date().toISOString()
  for (const role of roles) {
    if ((await findRoleByName(sql, caller.orgId, role.name)).length > 0) continue
    await createRole(begin, contextOf(caller, 'role.create', { ...role }), role, now())
  }
  for (const { role, left, ...person } of colleagues) {
    const email = asciiOf(emailOf(person, org))
    const [known] = await findUserByEmail(sql, email)
    const create = () => createUser(begin, contextOf(caller, 'user.create', {}), { ...person, email }, now())
    const userId = known?.id ?? (await create()).userId
    await grantRoleNamed(sql, caller, role, userId)
    if (known || !left) continue
    const leaving = { begin, params: { id: userId }, audit: contextOf(caller, 'user.deactivate', { id: userId }) }
    await deactivateUser({ clock: Date.now }, leaving)
  }
}

/** Replaces the letters outside of ASCII in an e-mail address. */
const asciiOf = (address: string) => address.replaceAll('ø', 'oe').replaceAll('æ', 'ae').replaceAll('å', 'aa')
