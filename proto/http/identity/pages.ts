import { Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { pathParam } from '../shapes.ts'
import { accountsTag } from './accounts.ts'
import { impersonationTag } from './impersonation.ts'

const tag = defineTag('Documentation (beyond the specification)', 'The documentation of the API.')
const Html = Type.String({ description: 'An HTML page.', examples: ['<!doctype html>'] })

export const getOpenApi = defineOperation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag,
  summary: 'Get this document',
  access: 'public',
  response: Type.Object({}, { description: 'OpenAPI 3.1 document.', additionalProperties: true }),
  etag: true,
})

export const getDocs = defineOperation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  tag,
  summary: 'Get the documentation page',
  access: 'public',
  response: Html,
  mediaType: 'text/html',
})

export const getDocsAsset = defineOperation({
  id: 'getDocsAsset',
  method: 'GET',
  path: '/docs/{asset}',
  tag,
  summary: 'Get a script or style sheet of the documentation page',
  access: 'public',
  params: pathParam('asset', 'Name of the file.', 'swagger-ui.css'),
  response: Type.String({ description: 'The file.', examples: ['.swagger-ui{}'] }),
  mediaType: 'text/css',
  refusals: ['not_found'],
})

export const getActivatePage = defineOperation({
  id: 'getActivatePage',
  method: 'GET',
  path: '/activate',
  tag: accountsTag,
  summary: 'Get the page of an activation link',
  description: 'The page posts the token from its URL fragment, which browsers do not send, with a new password.',
  access: 'public',
  response: Html,
  mediaType: 'text/html',
})

export const getImpersonatePage = defineOperation({
  id: 'getImpersonatePage',
  method: 'GET',
  path: '/impersonate',
  tag: impersonationTag,
  summary: 'Get the page of an impersonation link',
  description:
    'The page posts the token from its URL fragment, which browsers do not send, and shows the access token.',
  access: 'public',
  response: Html,
  mediaType: 'text/html',
})
