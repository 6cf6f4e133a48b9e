import type { Procedure } from '../../proto/procedures.ts'
import { callerFrom } from '../kit/auth/caller.ts'
import { findCaller } from '../kit/auth/queries.ts'
import type { Command } from '../kit/command/command.ts'
import { runWithoutCaller } from '../kit/command/without-caller.ts'
import type { Pool } from '../kit/db/client.ts'

export interface Actor {
  orgId: string
  userId: string
}

/** Runs commands of a user without requests, which saves a sign-in for each organization of a test. */
export const commandsOf =
  (sql: Pool, actor: Actor) =>
  <Params, Body, Answer>(
    procedure: Procedure,
    input: { params: Params; body: Body },
    run: (command: Command<Params, Body>) => Promise<Answer>,
  ): Promise<Answer> => {
    const { orgId, userId: actorId } = actor
    return runWithoutCaller(sql, { procedure, orgId, actorId }, async (tx, audit) => {
      const [row] = await findCaller(tx, actorId)
      if (!row) throw new Error(`there is no user ${actorId}`)
      const caller = callerFrom({ ...actor, sessionId: 'none', sessionVersion: row.session_version }, row)
      return run({ ...input, query: {}, ifMatch: undefined, tx, caller, now: new Date().toISOString(), audit })
    })
  }
