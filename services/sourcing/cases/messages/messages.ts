import type * as api from '../../../../proto/http/sourcing/case-messages.ts'
import { MAX_MESSAGES } from '../../../../proto/http/sourcing/case-messages.ts'
import type { Case } from '../../../../proto/http/sourcing/cases.ts'
import type { CommandOf } from '../../../kit/command/command.ts'
import type { Tx } from '../../../kit/db/client.ts'
import { newIdAt } from '../../../kit/db/ids.ts'
import { JsonText } from '../../../kit/db/json-text.ts'
import { found, invalid, refuse, requireValid } from '../../../kit/errors/refusal.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import { notifyParties } from '../../notifications/emit.ts'
import { lockCase, requireLegal } from '../commands.ts'
import { findCase } from '../queries.ts'
import * as queries from './queries.ts'
import { fileProblems, hasRoom, laterTime, unknownMessage } from './rules.ts'

/** Writes a message of the caller's organization to the parties of a case. */
export async function createMessage({
  tx,
  caller: { orgId, userId },
  params: { id: caseId },
  body,
  now,
  audit,
}: CommandOf<typeof api.createCaseMessage>): Promise<JsonText> {
  const present = await lockCase(tx, orgId, caseId)
  const fileIds = [...new Set(body.fileIds)]
  await requireOwnFiles(tx, orgId, caseId, body.fileIds ?? [])
  await requireLegal(tx, 'edit', present, now)
  const [{ written }] = await queries.findWritten(tx, orgId, caseId)
  if (!hasRoom(written)) {
    throw refuse('limit_reached', { detail: `An organization writes at most ${MAX_MESSAGES} messages in a case.` })
  }
  const at = laterTime(present.lastMessageTime, now)
  const id = newIdAt('message', at)
  const [{ document }] = await queries.insertMessage(tx, { id, caseId, orgId, userId, text: body.text, fileIds }, at)
  const [changed] = await queries.countMessage(tx, orgId, caseId, at)
  const updated: Case = JSON.parse(changed.document)
  audit.add({ messageId: id })
  await notifyParties(tx, [{ type: 'cases.updated', data: { case: updated, message: { id, authorOrgId: orgId } } }])
  return new JsonText(document)
}

/** Throws 400 for documents that the organization has not added to the case. */
async function requireOwnFiles(tx: Tx, orgId: string, caseId: string, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return
  const own = await queries.findOwnFiles(tx, orgId, caseId, fileIds)
  requireValid(fileProblems(fileIds, new Set(own.map(({ id }) => id))))
}

/** Marks the messages of a case as read for the caller's organization. */
export async function readCase({
  tx,
  caller: { orgId },
  params: { id },
  body,
}: CommandOf<typeof api.readCase>): Promise<JsonText> {
  await lockCase(tx, orgId, id)
  const { messageId } = body ?? {}
  if (messageId !== undefined && (await queries.findMessage(tx, id, messageId)).length === 0) {
    throw invalid([unknownMessage(messageId)])
  }
  await queries.markRead(tx, orgId, id, messageId ?? NEWEST_ID)
  return new JsonText(found(await findCase(tx, orgId, id)).document)
}
