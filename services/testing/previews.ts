import type { File } from '../../proto/http/sourcing/files.ts'
import type { Part } from '../../proto/http/sourcing/parts.ts'
import type { Measured } from '../sourcing/renderings/rules.ts'
import type { ApiClient } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'

/** A binary STL of a box, in millimetres. */
export function stlBox(x: number, y: number, z: number): Uint8Array<ArrayBuffer> {
  const corner = (n: number): [number, number, number] => [n & 1 ? x : 0, n & 2 ? y : 0, n & 4 ? z : 0]
  // Each face by two triangles, whose corners run counter-clockwise seen from outside.
  const faces = [
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
  ]
  const bytes = new DataView(new ArrayBuffer(84 + faces.length * 50))
  bytes.setUint32(80, faces.length, true)
  for (const [at, face] of faces.entries()) {
    const numbers = face.flatMap(corner)
    for (const [n, value] of numbers.entries()) bytes.setFloat32(84 + at * 50 + 12 + n * 4, value, true)
  }
  return new Uint8Array(bytes.buffer)
}

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
  const { status, body, text } = await client.get<{ items: File[] }>(path)
  if (status !== 200) throw new Error(text)
  return body.items
}
