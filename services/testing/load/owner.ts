import { connect, type Pool } from '../../kit/db/client.ts'

export type Owner = Pool

/** Connects as the owner of a database for the duration of the work. */
export async function asOwner<Result>(ownerUrl: string, work: (owner: Owner) => Promise<Result>): Promise<Result> {
  const owner = connect(ownerUrl, { max: 1, applicationName: 'load' })
  try {
    return await work(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}
