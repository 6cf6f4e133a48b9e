import { expect, test } from 'bun:test'
import { pgbenchScript, readLog } from './statements.ts'

const LOG = `@@sourcing|12|LOG:  execute a1: 
\t  select id from sourcing.parts where title = $1 and note = $2 limit $3
@@sourcing|12|DETAIL:  Parameters: $1 = 'it''s', $2 = NULL, $3 = '11'
@@identity|13|LOG:  statement: begin
@@identity|13|LOG:  checkpoint complete
`

test('the log of Postgres: statements with their connection and parameters', () => {
  const [select, begin, ...others] = readLog(LOG)
  expect(select).toMatchObject({ application: 'sourcing', pid: '12', parameters: ["it's", null, '11'] })
  expect(select?.text.trim()).toBe('select id from sourcing.parts where title = $1 and note = $2 limit $3')
  expect(begin).toEqual({ application: 'identity', pid: '13', text: 'begin', parameters: [] })
  expect(others).toEqual([])
})

test('a pgbench script: parameters are variables, and null stays null', () => {
  const { text, variables } = pgbenchScript(readLog(LOG).slice(0, 1))
  expect(text).toBe('select id from sourcing.parts where title = :s0p1 and note = null limit :s0p3;\n')
  expect(variables).toEqual({ s0p1: "it's", s0p3: '11' })
})
