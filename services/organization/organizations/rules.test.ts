import { describe, expect, test } from 'bun:test'
import { changedTerms, termsOf, termsProblem, websiteProblem } from './rules.ts'

describe('terms of engagement', () => {
  const viaDistributor = { engagement: 'DISTRIBUTOR', distributorOrgId: 'org_d' } as const
  const direct = { engagement: 'DIRECT', distributorOrgId: null } as const

  test('default to DISTRIBUTOR with a distributor, else to DIRECT', () => {
    expect(termsOf({})).toEqual(direct)
    expect(termsOf({ distributorOrgId: 'org_d' })).toEqual(viaDistributor)
  })

  test('that contradict each other are a problem of distributorOrgId', () => {
    expect(termsProblem(viaDistributor)).toBeUndefined()
    expect(termsProblem(direct)).toBeUndefined()
    expect(termsProblem({ ...viaDistributor, engagement: 'DIRECT' })?.field).toBe('distributorOrgId')
    expect(termsProblem({ ...direct, engagement: 'DISTRIBUTOR' })?.field).toBe('distributorOrgId')
  })

  test('after a change contain the fields that were sent and no others', () => {
    const organization = { ...viaDistributor, name: 'Not a term' }
    expect(changedTerms(organization, {})).toEqual(viaDistributor)
    expect(changedTerms(organization, { engagement: 'DIRECT' })).toEqual(direct)
    expect(changedTerms(organization, { distributorOrgId: null })).toEqual(direct)
    expect(changedTerms(direct, { distributorOrgId: 'org_d' })).toEqual(viaDistributor)
    expect(termsProblem(changedTerms(direct, { engagement: 'DISTRIBUTOR' }))).toBeDefined()
  })
})

test('a website must be an http or https URL without credentials', () => {
  for (const website of ['https://a.example', 'http://a.example/x?y', undefined, null]) {
    expect(websiteProblem(website)).toBeUndefined()
  }
  for (const website of ['javascript:alert(1)', 'https://u:p@a.example', 'ftp://a', 'https://', 'a.example']) {
    expect(websiteProblem(website)?.field).toBe('website')
  }
})
