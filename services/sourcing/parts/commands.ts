import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Trail } from '../../kit/audit/trail.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import type { Pool } from '../../kit/db/client.ts'
import { newId, newSerialNumber } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/http/json.ts'
import { invalid, notFound, refuse } from '../../kit/http/refusal.ts'
import { once } from '../../kit/idempotency/once.ts'
import { emit } from '../../kit/outbox/emit.ts'
import { findPublishable, insertPart, markPublished } from './queries.ts'
import { holdEntries, resolveReferences } from './references.ts'
import { contentOf, publishProblems, referenceProblems } from './rules.ts'

export interface CommandDeps {
  sql: Pool
  clock: () => number
}

export interface CreatePart {
  caller: Caller
  body: PartInput
  trail: Trail
  idempotencyKey: string | undefined
}

/** A draft of the caller's organization, with every id that it names looked up and held until it is written. */
export function createPart({ sql, clock }: CommandDeps, { caller, body, trail, idempotencyKey }: CreatePart) {
  const now = new Date(clock()).toISOString()
  const request = { userId: caller.userId, operation: 'createPart', key: idempotencyKey, body }
  return sql.begin((tx) =>
    once(tx, request, now, async () => {
      await holdEntries(tx, caller.orgId)
      const content = contentOf(body)
      const resolved = await resolveReferences(tx, caller.orgId, content)
      const problems = referenceProblems(content, resolved)
      if (problems.length > 0) throw invalid(problems)

      const part = {
        id: newId('part'),
        serialNumber: newSerialNumber('P'),
        ipOwnerOrgId: caller.orgId,
        technologyIds: resolved.process?.technologyIds ?? [],
      }
      await insertPart(tx, part, content, now)
      await recordSuccess(tx, trail)
      await emit(tx, {
        type: 'sourcing.part.created',
        tenantId: caller.orgId,
        subject: part.id,
        data: { partId: part.id, ipOwnerOrgId: caller.orgId },
      })
      return { id: part.id, serialNumber: part.serialNumber }
    }),
  )
}

/** DRAFT –publish→ PUBLISHED, of a part of the caller's own; of two racing callers one wins and the other gets 409. */
export function publishPart({ sql, clock }: CommandDeps, caller: Caller, id: string, trail: Trail): Promise<JsonText> {
  const now = new Date(clock()).toISOString()
  return sql.begin(async (tx) => {
    const [part] = await findPublishable(tx, caller.orgId, id)
    if (!part) throw notFound()
    if (part.state !== 'DRAFT') throw refuse('illegal_transition', { detail: `The part is ${part.state}, not DRAFT.` })
    const problems = publishProblems({
      title: part.title,
      materialId: part.material_id,
      materialType: part.material_type,
    })
    if (problems.length > 0)
      throw refuse('illegal_transition', { detail: 'The part lacks something.', errors: problems })
    const [published] = await markPublished(tx, caller.orgId, id, now)
    if (!published) throw refuse('illegal_transition', { detail: 'The part has changed meanwhile.' })
    await recordSuccess(tx, trail)
    await emit(tx, {
      type: 'sourcing.part.published',
      tenantId: caller.orgId,
      subject: id,
      data: { partId: id, ipOwnerOrgId: caller.orgId },
    })
    return new JsonText(published.owner_document)
  })
}
