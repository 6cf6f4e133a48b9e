/** The service accounts that led to an account or a key, each with the time of its last part in it. */
export type Lineage = Readonly<Record<string, string>>

/** Service accounts of a lineage, which would otherwise grow with each account that creates another. */
export const MAX_LINEAGE = 100

/** The lineages together, with the later time of an account that is in both. */
export function joined(...lineages: readonly Lineage[]): Lineage {
  const latest: Record<string, string> = {}
  for (const [userId, time] of lineages.flatMap((lineage) => Object.entries(lineage))) {
    const other = latest[userId]
    if (other === undefined || Date.parse(other) < Date.parse(time)) latest[userId] = time
  }
  return latest
}
