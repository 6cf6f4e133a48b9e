import type { File } from '../../proto/http/sourcing/files.ts'
import type { Part } from '../../proto/http/sourcing/parts.ts'
import type { Measured } from '../sourcing/renderings/rules.ts'
import { type ApiClient, succeeded } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'
import { binaryStl, boxMesh } from './models/meshes.ts'

/** A binary STL of a box with a corner at the origin, in millimetres. */
export const stlBox = (x: number, y: number, z: number) => new Uint8Array(binaryStl(boxMesh([0, 0, 0], [x, y, z])))

/**
 * Writes what the worker writes for a model of this box, without a process: the picture is named after the file. For
 * tests of who may know it.
 */
export async function insertModel({ db }: TestMarketplace, fileId: string, [x, y, z]: number[]): Promise<string> {
  const picture = `prev_${fileId}`
  await db.owner.begin(async (tx) => {
    await tx`
      with rendering as (
        insert into sourcing.renderings (object_key, state, geometry, finished_at)
        select object_key, 'READY', json_build_object('boundingBox', json_build_object(
          'x', ${x ?? 0}::float8, 'y', ${y ?? 0}::float8, 'z', ${z ?? 0}::float8)), now()
        from sourcing.files where id = ${fileId} returning object_key
      )
      insert into sourcing.previews (id, object_key, kind, content_type, width, height)
      select ${picture}, object_key, 'IMAGE', 'image/png', 512, 512 from rendering`
    await tx`
      update sourcing.part_revisions set measured = sourcing.measured_of(file_ids) where ${fileId} = any(file_ids)`
    await tx`select sourcing.measure_part(part_id) from sourcing.files where id = ${fileId}`
  })
  return picture
}

/** What a record tells of the models of its part: the picture by its key, and the fields of a part. */
export function measuredIn(record: Partial<Pick<Part, 'previewUrl' | 'measuredBoundingBox' | 'boundingBoxDiffers'>>) {
  const { previewUrl, measuredBoundingBox, boundingBoxDiffers } = record
  const picture = previewUrl === undefined ? undefined : new URL(previewUrl).pathname.split('/').at(-1)
  const measured: Measured & { differs?: boolean } = {
    ...(picture === undefined ? {} : { picture }),
    ...(measuredBoundingBox === undefined ? {} : { boundingBox: measuredBoundingBox }),
    ...(boundingBoxDiffers === undefined ? {} : { differs: boundingBoxDiffers }),
  }
  return measured
}

/** The files of a part, or the documents of a record, that a client reads. */
export async function filesOf(client: ApiClient, path: string): Promise<File[]> {
  return (await succeeded(client.get<{ items: File[] }>(path))).items
}
