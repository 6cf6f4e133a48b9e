import type { Command } from '../../kit/command/command.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { JsonText } from '../../kit/db/json-text.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import * as queries from './queries.ts'

/** The fields of every subrecord. */
interface Subrecord {
  id: string
  /** The organization that created it, the only one that can change and delete it. */
  orgId: string
  createdTime: string
  updatedTime: string
}

interface Change {
  verb: 'create' | 'patch' | 'delete'
  /** The record before the change. */
  record?: object
}

/** A kind of records that belong to an assignment or a case, which is locked while they change. */
interface SubrecordRules<Parent extends { id: string }, Content extends object> {
  /** Also the prefix of its ids. */
  kind: queries.SubrecordKind
  /** The field with the id of its parent. */
  parentField: 'assignmentId' | 'caseId'
  /** The most that one organization creates for a parent, and the refusal of the next one. */
  max: number
  tooMany: string
  /** The parent, locked until the transaction ends; 404 where the organization is no party to it. */
  lockParent(tx: Tx, orgId: string, parentId: string): Promise<Parent>
  /** Throws 409 if the parent, or the record, does not allow the change. */
  requireLegal(tx: Tx, parent: Parent, change: Change, now: string): Promise<void> | void
  /** Every field of the content as it is stored; undefined where it is absent. */
  contentOf(input: Content): object
  /** The fields that a new record has besides its content. */
  initial?: object
  /** The record after a patch that changed its content. */
  afterPatch?(record: object): object
  /** Notifies the parties to the parent. */
  notify(tx: Tx, parent: Parent, change: 'created' | 'updated' | 'deleted', record: object): Promise<unknown>
}

type Params = Record<string, string> & { id: string }

/** The commands on the records of one kind. */
export function subrecordCommands<Parent extends { id: string }, Content extends object, Patch extends object>(
  rules: SubrecordRules<Parent, Content>,
) {
  const { kind, parentField, max, tooMany } = rules
  const idName = queries.ID_NAMES[kind]
  const keyOf = (params: Params) => ({ kind, parentId: params.id, id: params[idName] as string })

  const lockOwn = async (tx: Tx, orgId: string, params: Params) => {
    const parent = await rules.lockParent(tx, orgId, params.id)
    const { document } = found(await queries.lockOwnSubrecord(tx, orgId, keyOf(params)))
    const record: Subrecord = JSON.parse(document)
    return { parent, record, document }
  }

  return {
    /** Creates a record of the caller's organization. */
    async create({
      tx,
      caller: { orgId, userId },
      params,
      body,
      now,
      audit,
    }: Command<{ id: string }, Content>): Promise<JsonText> {
      const parent = await rules.lockParent(tx, orgId, params.id)
      await rules.requireLegal(tx, parent, { verb: 'create' }, now)
      const siblings = { kind, parentId: parent.id }
      const [{ count }] = await queries.countSubrecords(tx, orgId, siblings)
      if (count >= max) throw refuse('limit_reached', { detail: tooMany })
      const id = newIdAt(kind, now)
      const times = { createdTime: now, updatedTime: now }
      const record = { id, [parentField]: parent.id, orgId, ...rules.contentOf(body), ...rules.initial, ...times }
      const document = JSON.stringify(record)
      await queries.insertSubrecord(tx, orgId, { ...siblings, id, document, userId })
      audit.add({ [idName]: id })
      await rules.notify(tx, parent, 'created', record)
      return new JsonText(document)
    },

    /** Changes an own record; null clears a field. A patch without a change writes nothing. */
    async patch({
      tx,
      caller: { orgId, userId },
      params,
      body,
      ifMatch,
      now,
    }: Command<Params, Patch>): Promise<JsonText> {
      const { parent, record, document } = await lockOwn(tx, orgId, params)
      requireMatch(ifMatch, document)
      await rules.requireLegal(tx, parent, { verb: 'patch', record }, now)
      const sent = Object.entries({ ...record, ...body }).filter(([, value]) => value !== null)
      const changed = { ...record, ...rules.contentOf(Object.fromEntries(sent) as Content) }
      if (Bun.deepEquals(changed, record)) return new JsonText(document)
      const text = JSON.stringify({ ...(rules.afterPatch?.(changed) ?? changed), updatedTime: now })
      await queries.updateSubrecord(tx, { ...keyOf(params), document: text, userId })
      await rules.notify(tx, parent, 'updated', JSON.parse(text))
      return new JsonText(text)
    },

    /** Deletes an own record. */
    async delete({ tx, caller: { orgId }, params, now }: Command<Params, undefined>): Promise<undefined> {
      const { parent, record } = await lockOwn(tx, orgId, params)
      await rules.requireLegal(tx, parent, { verb: 'delete', record }, now)
      await queries.deleteSubrecord(tx, orgId, keyOf(params))
      await rules.notify(tx, parent, 'deleted', record)
      return undefined
    },
  }
}
