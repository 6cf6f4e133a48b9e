import { describe, expect, test } from 'bun:test'
import { changedTerms, termsOf, termsProblem, websiteProblem } from './rules.ts'

describe('terms of engagement', () => {
  const through = { engagement: 'DISTRIBUTOR', distributorOrgId: 'org_d' } as const
  const direct = { engagement: 'DIRECT', distributorOrgId: null } as const

  test('follow from naming a distributor, or none', () => {
    expect(termsOf({})).toEqual(direct)
    expect(termsOf({ distributorOrgId: 'org_d' })).toEqual(through)
  })

  test('that contradict themselves are a problem', () => {
    expect(termsProblem(through)).toBeUndefined()
    expect(termsProblem(direct)).toBeUndefined()
    expect(termsProblem({ ...through, engagement: 'DIRECT' })?.field).toBe('distributorOrgId')
    expect(termsProblem({ ...direct, engagement: 'DISTRIBUTOR' })?.field).toBe('distributorOrgId')
  })

  test('change with the field that is sent, and are nothing but terms', () => {
    const organization = { ...through, name: 'Not a term' }
    expect(changedTerms(organization, {})).toEqual(through)
    expect(changedTerms(organization, { engagement: 'DIRECT' })).toEqual(direct)
    expect(changedTerms(organization, { distributorOrgId: null })).toEqual(direct)
    expect(changedTerms(direct, { distributorOrgId: 'org_d' })).toEqual(through)
    expect(termsProblem(changedTerms(direct, { engagement: 'DISTRIBUTOR' }))).toBeDefined()
  })
})

test('a website is opened by a browser, and says nothing of a password', () => {
  for (const website of ['https://a.example', 'http://a.example/x?y', undefined, null]) {
    expect(websiteProblem(website)).toBeUndefined()
  }
  for (const website of ['javascript:alert(1)', 'https://u:p@a.example', 'ftp://a', 'https://', 'a.example']) {
    expect(websiteProblem(website)?.field).toBe('website')
  }
})
