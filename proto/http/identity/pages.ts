import { Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { pathParam } from '../shapes.ts'
import { accountsTag } from './accounts.ts'
import { impersonationTag } from './impersonation.ts'

const tag = defineTag('Documentation (beyond the specification)', 'This documentation.')
const Html = Type.String({ description: 'An HTML page.', examples: ['<!doctype html>'] })

export const getOpenApi = defineOperation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag,
  summary: 'This document',
  access: 'public',
  response: Type.Object({}, { description: 'OpenAPI 3.1.', additionalProperties: true }),
  etag: true,
})

export const getDocs = defineOperation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  tag,
  summary: 'Documentation to read and try',
  access: 'public',
  response: Html,
  mediaType: 'text/html',
})

export const getDocsAsset = defineOperation({
  id: 'getDocsAsset',
  method: 'GET',
  path: '/docs/{asset}',
  tag,
  summary: 'A script or style of the documentation page',
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
  summary: 'Page behind an activation link',
  description: 'Posts the token of its fragment, which no server ever sees in a URL, with a new password.',
  access: 'public',
  response: Html,
  mediaType: 'text/html',
})

export const getImpersonatePage = defineOperation({
  id: 'getImpersonatePage',
  method: 'GET',
  path: '/impersonate',
  tag: impersonationTag,
  summary: 'Page behind the link of an impersonation grant',
  description: 'Posts the token of its fragment, which no server ever sees in a URL, and shows the access token.',
  access: 'public',
  response: Html,
  mediaType: 'text/html',
})
