import { timeAt } from '../../../proto/durations.ts'
import type { BodyOf, CommandOperation, ParamsOf, QueryOf } from '../../../proto/http/operation.ts'
import type { AuditContext } from '../audit/context.ts'
import { AuditEntry } from '../audit/entry.ts'
import type { AuditLog } from '../audit/log.ts'
import { requireAccess } from '../auth/access.ts'
import type { Caller } from '../auth/caller.ts'
import type { Claims } from '../auth/tokens.ts'
import type { Pool, Tx } from '../db/client.ts'
import type { JsonText } from '../db/json-text.ts'
import { findStoredAnswer, once } from '../idempotency/once.ts'
import type { KeyedSemaphore } from '../limits/keyed-semaphore.ts'
import type { SecretBox } from '../secrets/box.ts'
import type { CommandOf, PreparationOf } from './command.ts'

export interface CommandDeps {
  /** The pool on which commands begin their transactions. */
  sql: Pool
  clock: () => number
  /** Encrypts stored answers that contain a secret. */
  box: SecretBox
  auth: {
    claimsOf(request: Request): Promise<Claims>
    callerBefore(claims: Claims): Promise<Caller | undefined>
    callerWithin(tx: Tx, claims: Claims, options: { lock: boolean; before: Caller | undefined }): Promise<Caller>
  }
  auditLog: AuditLog
  /** Permits for commands, so that one organization never occupies all connections. */
  permits: KeyedSemaphore
}

/** A request for a command whose checks have passed. */
export interface CommandRequest {
  request: Request
  /** The caller when the headers arrived. */
  caller: Caller
  params: Record<string, string>
  body: unknown
  query: Record<string, unknown>
  auditContext: AuditContext
  ifMatch: string | undefined
  /** The `Idempotency-Key`, where the operation takes one and the client sent one. */
  idempotencyKey: string | undefined
}

/** The steps of a command. */
export interface CommandSteps<O extends CommandOperation, Prepared extends object, Answer> {
  /** Work that a transaction must not wait for, such as asking a file store or hashing a password. */
  prepare?: ((call: PreparationOf<O>) => Promise<Prepared>) | undefined
  run(call: CommandOf<O> & Prepared): Promise<Answer>
  /** Called after the transaction has committed. */
  afterCommit?: (() => void) | undefined
}

/**
 * Runs a command: waits for a permit of the organization, prepares, opens the transaction, reads the caller again,
 * returns the stored answer of a repeated `Idempotency-Key` or runs the command, writes the audit entry, and commits.
 */
export const commandRunner =
  <O extends CommandOperation, Prepared extends object, Answer>(
    { sql, clock, box, auth, auditLog, permits }: CommandDeps,
    operation: O,
    { prepare, run, afterCommit }: CommandSteps<O, Prepared, Answer>,
  ) =>
  (received: CommandRequest): Promise<Answer | JsonText | undefined> => {
    const { request, params, body, query, ifMatch, idempotencyKey: key } = received
    const isDryRun = operation.hasDryRun === true && query.dryRun === true
    const path = Object.values(params)
    // The endpoint has checked the input against the schemas of the operation.
    const input = { params: params as ParamsOf<O>, body: body as BodyOf<O>, query: query as QueryOf<O>, ifMatch }
    const begin = async <T>(work: (tx: Tx, caller: Caller, now: string) => Promise<T>): Promise<T> => {
      const claims = await auth.claimsOf(request)
      const before = await auth.callerBefore(claims)
      const begun = sql.begin(async (tx) => {
        const caller = await auth.callerWithin(tx, claims, { lock: operation.changesAuthority ?? false, before })
        requireAccess(operation, caller)
        return work(tx, caller, timeAt(clock()))
      })
      return begun as Promise<T>
    }
    // A request is the same only with the same query.
    const sent = Object.keys(query).length === 0 ? body : { body, query }
    const idempotent = ({ userId }: Caller) =>
      key === undefined || isDryRun
        ? undefined
        : {
            userId,
            operation: [operation.id, ...path].join(' '),
            key,
            body: sent,
            box: operation.noStore ? box : undefined,
          }

    return permits.run(received.caller.orgId, request.signal, async () => {
      let prepared = {} as Prepared
      if (prepare) {
        const repeated = idempotent(received.caller)
        const stored = repeated && (await begin((tx, _, now) => findStoredAnswer(tx, repeated, now)))
        if (stored) return stored.answer
        const { caller, auditContext } = received
        prepared = await prepare({ ...input, caller, now: timeAt(clock()), auditContext, signal: request.signal })
      }
      const answer = await begin((tx, caller, now) => {
        const runAudited = async () => {
          const audit = new AuditEntry(received.auditContext)
          const answer = await run({ ...input, ...prepared, tx, caller, now, audit })
          if (!isDryRun) await auditLog.success(tx, audit.context)
          return answer
        }
        const repeatable = idempotent(caller)
        return repeatable ? once(tx, repeatable, now, runAudited) : runAudited()
      })
      afterCommit?.()
      return answer
    })
  }
