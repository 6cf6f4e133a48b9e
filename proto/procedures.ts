/** Every action that the audit log can name, `<resource>.<verb>`: the closed list of `procedure`. */
export const PROCEDURES = [
  'activation.redeem',
  'auth.refreshReuse',
  'auth.revoke',
  'auth.signIn',
  'businessUnit.create',
  'customField.create',
  'org.create',
  'part.create',
  'part.publish',
  'password.change',
  'role.create',
  'role.grant',
  'session.end',
  'user.create',
] as const

export type Procedure = (typeof PROCEDURES)[number]
