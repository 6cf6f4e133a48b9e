import { mkdtemp, open, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { RenderingFailure } from '../../../proto/http/sourcing/previews.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import type { Log } from '../../kit/log/log.ts'
import type { Job, JobKind } from '../../kit/worker/jobs.ts'
import { levelOf } from '../../kit/worker/worker.ts'
import { cancelDeletion, scheduleDeletion } from '../files/objects/queries.ts'
import { findStoredBytes } from '../files/queries.ts'
import { isWithinQuota, type StorageQuota } from '../files/rules.ts'
import { Digest } from '../files/storage/digest.ts'
import { DamagedObject, StorageFailure } from '../files/storage/failures.ts'
import type { ObjectInfo, Storage } from '../files/storage/storage.ts'
import * as queries from './queries.ts'
import { MAX_FILE_BYTES } from './rendering/limits.ts'
import { type Preview, type Rendering, render, Unconfined } from './rendering/render.ts'

const RENDER = 'file-preview'
const FOLDER_PREFIX = 'marketplace-rendering-'

const LIMITS = {
  /** Processes of one replica. */
  slots: 2,
  /** Processes of one organization, on all replicas together. */
  tenantSlots: 1,
  maxPreviewBytes: 32 * 1024 * 1024,
  /** Attempts after failures of the store, the database or the replica itself. */
  maxAttempts: 3,
  pauseMs: 10_000,
}

interface RenderDeps {
  sql: Pool
  now: () => string
  storage: Storage
  log: Log
  maxMemoryBytes: number
  quota: Pick<StorageQuota, 'maxStoredBytes'>
}

/** Measures and pictures a READY file. What is wrong with the file ends the job, so that nothing is parsed twice. */
export const renderJob = (deps: RenderDeps): JobKind => ({
  kind: RENDER,
  slots: LIMITS.slots,
  tenantSlots: LIMITS.tenantSlots,
  maxAttempts: LIMITS.maxAttempts,
  pauseAfter: (attempts) => attempts * LIMITS.pauseMs,
  // The store or the database failed, or the process could not be confined: that says nothing of the file.
  isInterruption: (error) =>
    isDependencyFailure(error) ||
    (error instanceof StorageFailure && !(error instanceof DamagedObject)) ||
    error instanceof Unconfined,
  run: (job, signal) => renderObject(deps, job, signal),
  async onFailure(job, err, isLast) {
    deps.log[levelOf(err)]({ err, object: job.id, isLast }, 'a file could not be rendered')
    if (isLast) await finish(deps, job, { state: 'FAILED', reason: 'CRASHED' }, [])
  },
})

async function renderObject(deps: RenderDeps, job: Job, signal: AbortSignal): Promise<void> {
  const [file] = await queries.findFileOfObject(deps.sql, job.id)
  const rendering = file ? await renderFile(deps, job.id, file, signal) : ({ state: 'UNSUPPORTED' } as const)
  const stored = rendering.state === 'READY' ? await storePreviews(deps, rendering.previews, signal) : []
  await finish(deps, job, rendering, stored)
}

/** Removes the copies that a killed service left in the temporary folder of its pod. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const path = join(tmpdir(), name)
    const left = name.startsWith(FOLDER_PREFIX) ? await stat(path).catch(() => undefined) : undefined
    // A rendering takes a minute; another service of the machine may run one.
    if (left && left.mtimeMs < Date.now() - 10 * 60_000) await rm(path, { recursive: true, force: true })
  }
}

/** Files that are made into previews, by their names: others that are too large to be read are left alone. */
const RENDERED_NAMES = /^\.(step|stp|iges|igs|stl|obj|3mf|glb|pdf|png|jpe?g|webp|gif)$/i

async function renderFile(
  { storage, maxMemoryBytes }: RenderDeps,
  key: string,
  { name, size_bytes, sha256 }: { name: string; size_bytes: string; sha256: string },
  signal: AbortSignal,
): Promise<Rendering> {
  const sizeBytes = Number(size_bytes)
  if (sizeBytes > MAX_FILE_BYTES) {
    return RENDERED_NAMES.test(extname(name)) ? { state: 'FAILED', reason: 'TOO_LARGE' } : { state: 'UNSUPPORTED' }
  }
  const folder = await mkdtemp(join(tmpdir(), FOLDER_PREFIX))
  try {
    const path = join(folder, 'input')
    await copyTo(path, storage.read(key, signal), { sizeBytes, sha256 })
    return await render(path, { signal, maxMemoryBytes })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Copies the bytes of an object to a file. No store notices each change of an object that it has. */
async function copyTo(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  stored: Pick<ObjectInfo, 'sizeBytes' | 'sha256'>,
): Promise<void> {
  const digest = new Digest(MAX_FILE_BYTES)
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) {
      digest.update(chunk)
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
  const { sizeBytes, sha256 } = await digest.finish()
  if (sizeBytes !== stored.sizeBytes || sha256 !== stored.sha256) throw new DamagedObject()
}

/** Stores the bytes. Their deletion is scheduled before, and cancelled with the end of the job. */
async function storePreviews(
  { sql, storage, now }: RenderDeps,
  previews: readonly Preview[],
  signal: AbortSignal,
): Promise<queries.NewPreview[]> {
  const stored: queries.NewPreview[] = []
  for (const { kind, page, contentType, width, height, content } of previews) {
    const id = newIdAt('prev', now())
    await scheduleDeletion(sql, id, now())
    await storage.put(id, chunked(content), { maxBytes: LIMITS.maxPreviewBytes, signal })
    stored.push({
      id,
      kind,
      page: page ?? null,
      contentType,
      width: width ?? null,
      height: height ?? null,
      bytes: content.length,
    })
  }
  return stored
}

async function* chunked(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}

/** Whether the previews of a file fit into the quota of its organization. Without room it is measured only. */
async function hasRoomFor(
  tx: Tx,
  quota: RenderDeps['quota'],
  orgId: string,
  previews: readonly queries.NewPreview[],
): Promise<boolean> {
  const [usage] = await findStoredBytes(tx, orgId)
  const added = previews.reduce((sum, { bytes }) => sum + bytes, 0)
  return isWithinQuota(Number(usage?.stored_bytes ?? 0) + added, quota)
}

/** Ends the job with the result; does nothing if the lease was lost or the file was removed. */
const finish = (
  { now, quota }: Pick<RenderDeps, 'now' | 'quota'>,
  job: Job,
  rendering: Rendering,
  previews: readonly queries.NewPreview[],
): Promise<void> =>
  job.settle(async (tx) => {
    await queries.lockPartOfObject(tx, job.id)
    const [file] = await queries.lockFileOfObject(tx, job.id)
    if (!(await job.end(tx)) || !file || rendering.state === 'UNSUPPORTED') return
    const reason: RenderingFailure | undefined = rendering.state === 'FAILED' ? rendering.reason : undefined
    const geometry = rendering.state === 'READY' ? rendering.geometry : undefined
    await queries.insertRendering(tx, job.id, { reason, geometry }, now())
    const kept = (await hasRoomFor(tx, quota, file.org_id, previews)) ? previews : []
    for (const { id } of kept) {
      const [cancelled] = await cancelDeletion(tx, id)
      if (!cancelled) throw new Error('the deletion of a preview has started')
    }
    await queries.insertPreviews(tx, job.id, file.org_id, kept)
    if (file.part_id !== null) await queries.measurePart(tx, file.part_id, file.id)
  })
