import { defineOperation, defineTag } from '../operation.ts'
import { pathParam } from '../shapes.ts'

const tag = defineTag('Pages', 'Pages for browsers.')

export const getRoot = defineOperation({
  id: 'getRoot',
  method: 'GET',
  path: '/',
  tag,
  summary: 'Redirect people to the documentation',
  access: 'public',
  page: true,
})

export const getFavicon = defineOperation({
  id: 'getFavicon',
  method: 'GET',
  path: '/favicon.ico',
  tag,
  summary: 'Get the icon of the pages',
  access: 'public',
  page: true,
})

export const getSecurityText = defineOperation({
  id: 'getSecurityText',
  method: 'GET',
  path: '/.well-known/security.txt',
  tag,
  summary: 'Get how to report a vulnerability',
  access: 'public',
  page: true,
})

export const getOpenApi = defineOperation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag,
  summary: 'Get the OpenAPI document',
  access: 'public',
  etag: true,
  page: true,
})

export const getOpenApi30 = defineOperation({
  id: 'getOpenApi30',
  method: 'GET',
  path: '/openapi-3.0.json',
  tag,
  summary: 'Get the OpenAPI document for tools that lack OpenAPI 3.1',
  access: 'public',
  etag: true,
  page: true,
})

export const getAsyncApi = defineOperation({
  id: 'getAsyncApi',
  method: 'GET',
  path: '/asyncapi.json',
  tag,
  summary: 'Get the AsyncAPI document',
  access: 'public',
  etag: true,
  page: true,
})

export const getLlmsText = defineOperation({
  id: 'getLlmsText',
  method: 'GET',
  path: '/llms.txt',
  tag,
  summary: 'Get the contents of the documentation for language models',
  access: 'public',
  page: true,
})

export const getDocs = defineOperation({
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  tag,
  summary: 'Get the first page of the documentation',
  access: 'public',
  page: true,
})

/** The page that `type` of a problem names. */
export const getErrorCodes = defineOperation({
  id: 'getErrorCodes',
  method: 'GET',
  path: '/docs/errors',
  tag,
  summary: 'Get the page of the error codes',
  access: 'public',
  page: true,
})

export const getReference = defineOperation({
  id: 'getReference',
  method: 'GET',
  path: '/docs/api',
  tag,
  summary: 'Get the page of the API reference',
  access: 'public',
  page: true,
})

export const getOperationText = defineOperation({
  id: 'getOperationText',
  method: 'GET',
  path: '/docs/api/{operation}',
  tag,
  summary: 'Get an operation as Markdown',
  access: 'public',
  params: pathParam('operation', 'Id of the operation with `.md`.', 'createPart.md'),
  page: true,
})

export const getGuide = defineOperation({
  id: 'getGuide',
  method: 'GET',
  path: '/docs/guides/{guide}',
  tag,
  summary: 'Get a guide as a page, or with `.md` as Markdown',
  access: 'public',
  params: pathParam('guide', 'Name of the guide.', 'getting-started'),
  page: true,
})

export const getDocsAsset = defineOperation({
  id: 'getDocsAsset',
  method: 'GET',
  path: '/docs/{asset}',
  tag,
  summary: 'Get a script, style sheet or text of a page',
  access: 'public',
  params: pathParam('asset', 'Name of the file.', 'site.js'),
  page: true,
})

export const getReferenceModule = defineOperation({
  id: 'getReferenceModule',
  method: 'GET',
  path: '/docs/reference/{asset}',
  tag,
  summary: 'Get a module of the API reference',
  access: 'public',
  params: pathParam('asset', 'Name of the file.', 'standalone.esm.js'),
  page: true,
})

export const getReferenceChunk = defineOperation({
  id: 'getReferenceChunk',
  method: 'GET',
  path: '/docs/reference/chunks/{asset}',
  tag,
  summary: 'Get a chunk of the API reference',
  access: 'public',
  params: pathParam('asset', 'Name of the file.', 'chunk.js'),
  page: true,
})

export const getClientPackage = defineOperation({
  id: 'getClientPackage',
  method: 'GET',
  path: '/clients/{file}',
  tag,
  summary: 'Get the package of a client',
  access: 'public',
  params: pathParam('file', 'Name of the package.', 'marketplace-0.1.0.tgz'),
  page: true,
})

/** The page posts the token from its URL fragment, which browsers do not send, with a new password. */
export const getActivatePage = defineOperation({
  id: 'getActivatePage',
  method: 'GET',
  path: '/activate',
  tag,
  summary: 'Get the page of an activation link',
  access: 'public',
  page: true,
})

/** The page posts the token from its URL fragment, which browsers do not send, and shows the access token. */
export const getImpersonatePage = defineOperation({
  id: 'getImpersonatePage',
  method: 'GET',
  path: '/impersonate',
  tag,
  summary: 'Get the page of an impersonation link',
  access: 'public',
  page: true,
})

/** The page posts the token from its URL fragment, which browsers do not send, to confirm or to remove an address. */
export const getMailAddressPage = defineOperation({
  id: 'getMailAddressPage',
  method: 'GET',
  path: '/mail-address',
  tag,
  summary: 'Get the page behind the links in mails about an address',
  access: 'public',
  page: true,
})
