/** A tag can be moved to other code, the hash of a commit cannot. */
const USE = /uses: (?!\.\/)(\S+)(?: # (\S+))?/g
const PINNED = /^[\w./-]+@[0-9a-f]{40}$/

/** The actions of a workflow that do not name the hash of a commit and, for people and update bots, its version. */
export const unpinnedActions = (workflow: string): string[] =>
  [...workflow.matchAll(USE)]
    .filter(([, use = '', version]) => !PINNED.test(use) || !/^v\d+\.\d+\.\d+$/.test(version ?? ''))
    .map(([, use = '']) => use)
