import { CATALOG_TAGS } from '../../proto/http/catalog/tags.ts'

/** What each group of operations is about. */
export const TAGS: Record<string, string> = {
  ...CATALOG_TAGS,
  Parts: 'Manufacturable items, each owned by an IP owner.',
  Uploads: 'Where to send the bytes of a file.',
  'Part lifecycle (beyond the specification)': 'What moves a part from draft to published and on.',
  'Audit log': 'What the people of your organization did, and what they were refused. For administrators.',
  Organizations: 'The companies that take part.',
  'Organization administration (beyond the specification)':
    'What the operator of the platform does with organizations.',
  Users: 'People of your organization.',
  'User administration (beyond the specification)': 'Inviting people, and letting them go.',
  Roles: 'Permission keys under a name, held by users.',
  'Role administration (beyond the specification)': 'Roles of your own, and who holds which.',
  'Business units (beyond the specification)': 'Parts of your organization that parts are filed under.',
  'Custom fields (beyond the specification)': 'Dropdowns of your own for your parts.',
  'Files (beyond the specification)': 'The addresses that uploads and downloads lead to.',
  'Audit log export (beyond the specification)': 'The audit log as a file.',
  Tokens: 'Bearer tokens for every other operation.',
  'Accounts (beyond the specification)': 'Passwords, sessions and activation links.',
  'Impersonation (beyond the specification)':
    'Somebody acts as a user, for a while and for a reason; the audit log says so of everything that is done.',
  'Documentation (beyond the specification)': 'This documentation.',
}
