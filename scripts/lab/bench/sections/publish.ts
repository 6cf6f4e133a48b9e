import { succeeded } from '../../../../services/testing/client.ts'
import { asOwner } from '../../../../services/testing/load/owner.ts'
import { rfqBody } from '../../../../services/testing/rfqs.ts'
import { inRounds, median, msOf, rounds } from '../compare.ts'
import type { Section } from '../context.ts'
import { LARGE_TRADER } from '../database.ts'
import { signIn } from '../services.ts'

const FILES = 200
const ROUNDS = 40

/** The publication of an RFQ whose part has a new revision of 200 files, beside one whose part has none. */
export const measurePublish: Section = async function* (context) {
  const { database } = context
  const client = await signIn(context, 'sourcing', LARGE_TRADER)
  const post = (path: string, body?: object) => succeeded(client.post<{ id: string }>(path, body))
  const partWith = async (files: number) => {
    const { id } = await post('/v1/parts', { title: 'Impeller', materialType: 'metal', internal: true })
    await asOwner(
      database.ownerUrl,
      (owner) => owner`
        insert into sourcing.files (id, part_id, org_id, name, file_group, state, public, object_key, size_bytes,
          content_type, sha256, created_at)
        select 'file_' || ${id} || '_' || lpad(n::text, 3, '0'), ${id}, ${LARGE_TRADER}, 'drawing.pdf', 'document', 'READY',
          false, 'object_' || ${id} || '_' || n, 1, 'application/pdf', 'x', now()
        from generate_series(1, ${files}::int) n`,
    )
    return id
  }
  /** Publishes an RFQ for a revision that is not pinned yet. Only the publication is timed. */
  const publish = (partId: string) => async () => {
    await asOwner(
      database.ownerUrl,
      (owner) => owner`update sourcing.parts set revision = revision + 1 where id = ${partId}`,
    )
    const { id } = await post('/flows/v1/rfqs', rfqBody(partId, { manufacturerIds: [LARGE_TRADER] }))
    return msOf(() => post(`/flows/v1/rfqs/${id}/publish`))
  }
  const [full, empty] = [publish(await partWith(FILES)), publish(await partWith(0))]
  await Promise.all([full(), empty()])
  const [withFiles = Number.NaN, without = Number.NaN] = (await inRounds(rounds(ROUNDS), [full, empty])).map(median)
  yield {
    what: `snapshot of ${FILES} files in a publication`,
    ours: `${withFiles.toFixed(1)} ms`,
    reference: `${without.toFixed(1)} ms without files`,
    result: withFiles - without,
    unit: 'ms',
    wanted: { atMost: 20 },
  }
}
