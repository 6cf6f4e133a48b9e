import type { TObject, TSchema } from '@sinclair/typebox'
import type { Transition } from '../states/state-table.ts'
import { operationId, type Tag } from './operation.ts'

interface VerbsOptions<Name extends string, Verbs, Params extends TObject, Response extends TSchema> {
  /** The first word of the procedures of the verbs. */
  name: Name
  table: { verbs: Verbs; sentence(verb: keyof Verbs): string }
  /** The path of one record. */
  path: string
  tag: Tag
  params: Params
  response: Response
}

interface Details {
  /** The fields of the body that the audit log has. */
  logged?: readonly string[]
  /** The rest of the description, after the sentence of the state table. */
  note?: string
}

/**
 * The common fields of the operations of a record's verbs. A verb is the last segment of a POST and the second word of
 * its procedure, it begins the id, and its description begins with its sentence of the state table.
 */
export const verbsOf =
  <
    const Name extends string,
    Verbs extends Readonly<Record<string, Transition>>,
    Params extends TObject,
    Response extends TSchema,
  >({
    name,
    table,
    path,
    ...shared
  }: VerbsOptions<Name, Verbs, Params, Response>) =>
  <const Verb extends Extract<keyof Verbs, string>>(verb: Verb, { logged = [], note }: Details = {}) => ({
    ...shared,
    id: operationId(verb, name),
    method: 'POST' as const,
    path: `${path}/${verb.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    description: note === undefined ? table.sentence(verb) : `${table.sentence(verb)} ${note}`,
    transition: table.verbs[verb] as Transition,
    etag: true,
    refusals: ['illegal_transition'] as const,
    audit: { procedure: `${name}.${verb}` as const, request: [...Object.keys(shared.params.properties), ...logged] },
  })
