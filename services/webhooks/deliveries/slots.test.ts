import { describe, expect, test } from 'bun:test'
import { afterClaim, type Candidate, shareSlots, slotsOf, unprovenSlotsOf, withOthers } from './slots.ts'

const IDLE = { free: 512, ofEndpoint: new Map<string, number>(), ofOrg: new Map<string, number>() }
const candidates = (organizations: number, endpoints: number, name = 'org'): Candidate[] =>
  Array.from({ length: organizations * endpoints }, (_, at) => {
    const orgId = `${name}${at % organizations}`
    return { orgId, isProven: true, endpointId: `${orgId}-${Math.floor(at / organizations)}` }
  })
const sum = (shares: Map<string, number>) => [...shares.values()].reduce((total, share) => total + share, 0)

/** The state after these deliveries have started and hang. */
function hanging(all: readonly Candidate[]) {
  const ofEndpoint = new Map<string, number>()
  const ofOrg = new Map<string, number>()
  let free = 512
  for (;;) {
    const started = shareSlots(all, { free, ofEndpoint, ofOrg })
    if (started.size === 0) return { free, ofEndpoint, ofOrg }
    for (const { endpointId, orgId } of all) {
      const more = started.get(endpointId) ?? 0
      ofEndpoint.set(endpointId, (ofEndpoint.get(endpointId) ?? 0) + more)
      ofOrg.set(orgId, (ofOrg.get(orgId) ?? 0) + more)
      free -= more
    }
  }
}

describe('the slots of a replica', () => {
  test('of one endpoint are 32, those of one organization a quarter', () => {
    expect(sum(shareSlots(candidates(1, 1), IDLE))).toBe(32)
    expect(hanging(candidates(1, 300)).free).toBe(384)
  })

  test('are shared evenly by organizations, whatever their numbers of endpoints', () => {
    const shares = hanging([...candidates(1, 300, 'large'), ...candidates(1, 20, 'small')]).ofOrg
    expect(Math.abs((shares.get('large0') ?? 0) - (shares.get('small0') ?? 0))).toBeLessThanOrEqual(15)
  })

  test.each([1, 4, 20, 100, 400])('stay free for another organization while %i organizations hang', (organizations) => {
    const state = hanging(candidates(organizations, 20))
    expect(state.free).toBeGreaterThan(0)
    const [other] = candidates(1, 1, 'other')
    if (!other) throw new Error('no candidate')
    const started = shareSlots([...candidates(organizations, 20), other], state)
    expect(started.get(other.endpointId)).toBeGreaterThan(0)
  })

  test('stay free for another endpoint while nineteen of its organization hang', () => {
    const state = hanging(candidates(1, 19))
    expect(shareSlots([...candidates(1, 20)], state).get('org0-19')).toBeGreaterThan(0)
  })

  test('of one claim are 64, of each organization in turn', () => {
    const shares = shareSlots(candidates(40, 5), IDLE)
    expect(sum(shares)).toBe(64)
    const organizations = new Set([...shares.keys()].map((id) => id.split('-')[0]))
    expect(organizations.size).toBe(40)
  })

  test.each([
    ['of one endpoint', candidates(200, 1)],
    ['some with many endpoints', [...candidates(64, 20, 'large'), ...candidates(136, 1, 'small')]],
  ])('are shared by 200 organizations %s in turn, although each delivery ends before the next claim', (_, all) => {
    const served = new Set<string>()
    let waiting: readonly Candidate[] = all
    for (let claims = 0; claims < 4; claims++) {
      const shares = shareSlots(waiting, IDLE)
      for (const { orgId, endpointId } of all) if (shares.has(endpointId)) served.add(orgId)
      const claimed = [...shares].flatMap(([id, share]) => Array.from({ length: share }, () => ({ endpoint_id: id })))
      // All of them have more deliveries, and each sweep finds the endpoints in the same order.
      waiting = withOthers(afterClaim(waiting, shares, claimed), all)
    }
    expect(served.size).toBe(200)
  })

  test('are shared by what was found last, and the turns stay', () => {
    const [first, second, third] = candidates(3, 1) as [Candidate, Candidate, Candidate]
    const failing = { ...first, isProven: false }
    expect(withOthers([first, second], [third, failing])).toEqual([failing, second, third])
  })

  test('are not offered again to an endpoint that used less than its share', () => {
    const shares = new Map([
      ['org0-0', 2],
      ['org1-0', 1],
    ])
    const claimed = [{ endpoint_id: 'org0-0' }, { endpoint_id: 'org1-0' }]
    expect(afterClaim(candidates(3, 1), shares, claimed).map(({ endpointId }) => endpointId)).toEqual([
      'org2-0',
      'org1-0',
    ])
  })

  test('are not given twice: of none free, none is started', () => {
    expect(shareSlots(candidates(3, 1), { ...IDLE, free: 0 }).size).toBe(0)
    expect(sum(shareSlots(candidates(9, 1), { ...IDLE, free: 2 }))).toBe(2)
  })

  test('are 768, and at most half of the requests of Bun', () => {
    expect([256, 1024, 4096].map(slotsOf)).toEqual([128, 512, 768])
    expect(unprovenSlotsOf(768)).toBe(256)
  })
})
