import { expect, test } from 'bun:test'
import { byStream, commonFilter, matcherOf } from './subjects.ts'

test('`*` matches exactly one word, a trailing `>` one or more', () => {
  const cases: [string, string, boolean][] = [
    ['cases.created', 'cases.created', true],
    ['cases.created', 'cases.created.again', false],
    ['cases.created', 'casesXcreated', false],
    ['cases.*', 'cases.created', true],
    ['cases.*', 'cases.tasks.created', false],
    ['cases.*.created', 'cases.tasks.created', true],
    ['cases.>', 'cases.tasks.created', true],
    ['cases.>', 'cases.created', true],
    ['cases.>', 'cases', false],
    ['assignments.>', 'cases.created', false],
  ]
  for (const [subject, type, meant] of cases)
    expect([subject, type, matcherOf([subject])(type)]).toEqual([subject, type, meant])
  expect(matcherOf([])('cases.created')).toBe(false)
})

test('the common filter covers all subjects and little more', () => {
  const cases: [string[], string | undefined][] = [
    [['identity.session.revoked'], 'identity.session.revoked'],
    [['identity.session.revoked', 'identity.session.revoked'], 'identity.session.revoked'],
    [['sourcing.part.created', 'sourcing.part.deleted'], 'sourcing.part.>'],
    [['sourcing.part.created', 'sourcing.rfq.created'], 'sourcing.>'],
    [['sourcing.part', 'sourcing.part.created'], 'sourcing.>'],
    [['sourcing.>', 'sourcing.part.created'], 'sourcing.>'],
    [['sourcing.*.created', 'sourcing.*.deleted'], 'sourcing.*.>'],
    [['sourcing.*.created', 'sourcing.part.created'], 'sourcing.>'],
    [['sourcing.part.created', 'identity.session.revoked'], undefined],
  ]
  for (const [subjects, filter] of cases) expect([subjects, commonFilter(subjects)]).toEqual([subjects, filter])
  for (const [subjects, filter] of cases) {
    const covered = matcherOf([filter ?? '>'])
    for (const subject of subjects) expect(covered(subject.replace('*', 'x').replace('>', 'x.y'))).toBe(true)
  }
})

test('a subject that no stream carries is refused', () => {
  expect(byStream(['cases.>', 'sourcing.part.created', 'assignments.created'])).toEqual(
    new Map([
      ['NOTIFICATIONS', ['cases.>', 'assignments.created']],
      ['DOMAIN', ['sourcing.part.created']],
    ]),
  )
  for (const wrong of [
    'billing.invoice.created',
    '>',
    '*',
    'sourcing',
    'sourcing.',
    'sourcing.>.x',
    'sourcing.a b',
    '',
  ])
    expect(() => byStream([wrong])).toThrow('no stream carries')
})
