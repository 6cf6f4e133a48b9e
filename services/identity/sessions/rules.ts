/** A user may list and end their own sessions, and with `user:manage` those of every user of the organization. */
export const mayManageSessions = (
  { userId, permissions }: { userId: string; permissions: ReadonlySet<string> },
  ownerId: string,
) => ownerId === userId || permissions.has('user:manage')
