import type { Caller } from '../../kit/auth/caller.ts'

/** One's own sessions, and those of one's organization for who manages its users. */
export const mayEnd = ({ userId, permissions }: Caller, ownerId: string) =>
  ownerId === userId || permissions.has('user:manage')
