/** A user may end their own sessions; `user:manage` covers those of the organization. */
export const mayEnd = (
  { userId, permissions }: { userId: string; permissions: ReadonlySet<string> },
  ownerId: string,
) => ownerId === userId || permissions.has('user:manage')
