import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canUse } from '../../toolchain/account.ts'
import { CACHE } from '../../toolchain/checkout.ts'
import { isAlive, type ProcessRecord, recordOf } from '../../toolchain/processes.ts'
import { Refusal } from '../../toolchain/refusal.ts'
import { findState, type State } from '../../toolchain/state.ts'

export interface Place {
  state: State
  /** Kept between runs; may be deleted at any time. */
  folder: string
}

/** Under `.cache`, or in the state folder if the account of Postgres cannot reach the checkout. */
export async function findPlace(): Promise<Place> {
  const state = await findState()
  const local = await madeFolder(join(CACHE, 'bench'))
  if (state.account.ids.uid === undefined || (await canUse(state.account, join(state.programs, 'initdb'), local))) {
    return { state, folder: local }
  }
  return { state, folder: await madeFolder(join(state.folder, 'bench')) }
}

async function madeFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  // The account of Postgres must pass through; its data folder has a closed mode.
  await chmod(folder, 0o711)
  return folder
}

/** Allows one benchmark at a time, because a second one would stop the database of the first. */
export async function occupy({ folder }: Place): Promise<() => Promise<void>> {
  const path = join(folder, 'run.json')
  const file = Bun.file(path)
  const other: ProcessRecord | undefined = (await file.exists()) ? await file.json().catch(() => undefined) : undefined
  if (other && (await isAlive(other))) {
    throw new Refusal(`A benchmark is running already (process ${other.pid}): wait for its end.`)
  }
  await writeFile(path, JSON.stringify(await recordOf(process.pid, 'bench.ts')), { mode: 0o600 })
  return () => rm(path, { force: true })
}
