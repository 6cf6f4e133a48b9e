import { CATALOG_TAGS } from '../../proto/http/catalog/tags.ts'

/** What each group of operations is about. */
export const TAGS: Record<string, string> = {
  ...CATALOG_TAGS,
  Parts: 'Manufacturable items, each owned by an IP owner.',
  'Part lifecycle (beyond the specification)': 'What moves a part from draft to published and on.',
  'Audit log': 'What the people of your organization did, and what they were refused. For administrators.',
  Tokens: 'Bearer tokens for every other operation.',
  'Accounts (beyond the specification)': 'Passwords, sessions and activation links.',
  'Documentation (beyond the specification)': 'This documentation.',
}
