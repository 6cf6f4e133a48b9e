import type { User } from '../../../proto/http/organization/users.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { ensureUser, findRole, grantRoleNamed } from './people.ts'
import { type DemoDeps, expectOk } from './requests.ts'
import { type DemoOrganization, emailOf, type Person } from './story.ts'

/** Additional users and roles of an organization. */
interface Staff {
  roles: { name: string; permissions: Permission[] }[]
  /**
   * The member of the organization can have a role here, too. `left`: a former employee, whose account is deactivated.
   */
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
  'vestland-additive': {
    roles: [{ name: 'Shift lead', permissions: ['app:manufacturer', 'order:update', 'assignment:read'] }],
    colleagues: [{ givenName: 'Torunn', familyName: 'Sæther', phone: '+47 55 00 33 40', role: 'Shift lead' }],
  },
}

/** Creates the missing users and roles of an organization, and grants the roles. */
export async function ensureStaff(deps: DemoDeps, administrator: ApiClient, org: DemoOrganization): Promise<void> {
  const { roles, colleagues } = STAFF[org.key] ?? { roles: [], colleagues: [] }
  for (const role of roles) {
    if (!(await findRole(administrator, role.name))) await expectOk(administrator.post('/flows/v1/roles', role))
  }
  for (const { role, left, ...person } of colleagues) {
    const userId = await ensureUser(deps, administrator, { ...person, email: asciiOf(emailOf(person, org)) })
    await grantRoleNamed(administrator, role, userId)
    if (left) await deactivate(administrator, userId)
  }
}

async function deactivate(administrator: ApiClient, userId: string): Promise<void> {
  const { active } = await expectOk(administrator.get<User>(`/v1/users/${userId}`))
  if (active) await expectOk(administrator.post(`/flows/v1/users/${userId}/deactivate`))
}

/** Replaces the letters outside of ASCII in an e-mail address. */
const asciiOf = (address: string) => address.replaceAll('ø', 'oe').replaceAll('æ', 'ae').replaceAll('å', 'aa')
