/** One's own sessions, and those of one's organization for who manages its users. */
export const mayEnd = (
  { userId, permissions }: { userId: string; permissions: ReadonlySet<string> },
  ownerId: string,
) => ownerId === userId || permissions.has('user:manage')
