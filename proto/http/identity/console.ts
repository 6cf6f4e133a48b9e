import { Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { pathParam } from '../shapes.ts'

const tag = defineTag('Console', 'Pages for people.')

const element = (what: string, example: string) => Type.String({ description: what, examples: [example] })
const screen = element('Name of a screen.', 'rfqs')
const id = element('Id of a record.', 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')

/** Every address of the console answers the same page; its script shows the screen of the address. */
const page = { method: 'GET', tag, summary: 'Get the page of the console', access: 'public', page: true } as const

export const getConsole = defineOperation({ ...page, id: 'getConsole', path: '/console' })

export const getConsoleScreen = defineOperation({
  ...page,
  id: 'getConsoleScreen',
  path: '/console/{screen}',
  params: Type.Object({ screen }),
})

export const getConsoleRecord = defineOperation({
  ...page,
  id: 'getConsoleRecord',
  path: '/console/{screen}/{id}',
  params: Type.Object({ screen, id }),
})

export const getConsoleView = defineOperation({
  ...page,
  id: 'getConsoleView',
  path: '/console/{screen}/{id}/{view}',
  params: Type.Object({ screen, id, view: element('A view of the record.', 'comparison') }),
})

export const getConsoleAsset = defineOperation({
  ...page,
  id: 'getConsoleAsset',
  path: '/console/assets/{asset}',
  summary: 'Get the script or the style sheet of the console',
  params: pathParam('asset', 'Name of the file.', 'console.js'),
})
