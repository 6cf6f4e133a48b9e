import { expect, test } from 'bun:test'
import { pgbenchScript } from './pgbench.ts'
import { readLog, transactionsOf } from './statements.ts'

const LOG = `@@sourcing|12|LOG:  execute a1: 
\t  select id from sourcing.parts where title = $1 and note = $2 limit $3
@@sourcing|12|DETAIL:  Parameters: $1 = 'it''s', $2 = NULL, $3 = '11'
@@identity|13|LOG:  statement: begin
@@identity|13|LOG:  checkpoint complete
@@sourcing|12|LOG:  statement: select 1
@@identity|13|LOG:  statement: commit
`

test('the log of Postgres: statements with their connection and parameters', () => {
  const [select, begin, ...others] = readLog(LOG)
  expect(select).toEqual({
    application: 'sourcing',
    pid: '12',
    text: 'select id from sourcing.parts where title = $1 and note = $2 limit $3',
    parameters: ["it's", null, '11'],
  })
  expect(begin).toEqual({ application: 'identity', pid: '13', text: 'begin', parameters: [] })
  expect(others.map(({ text }) => text)).toEqual(['select 1', 'commit'])
})

test('the statements of a transaction belong together, in spite of other connections', () => {
  const texts = transactionsOf(readLog(LOG)).map((transaction) => transaction.map(({ text }) => text))
  expect(texts.slice(1)).toEqual([['begin', 'commit'], ['select 1']])
})

test('a pgbench script: parameters are variables, and null stays null', () => {
  const { text, variables } = pgbenchScript(readLog(LOG).slice(0, 1))
  expect(text).toBe('select id from sourcing.parts where title = :s0p1 and note = null limit :s0p3;\n')
  expect(variables).toEqual({ s0p1: "it's", s0p3: '11' })
})
