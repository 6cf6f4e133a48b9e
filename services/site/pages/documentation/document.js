const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/**
 * Returns the OpenAPI document as the page shows it: each operation has samples in TypeScript and Python, and a request is filled in
 * with the required values only.
 */
export function documentForPage(openapi, origin) {
  const shown = structuredClone(openapi)
  for (const [path, item] of Object.entries(shown.paths)) {
    for (const method of METHODS) {
      if (item[method]) prepare(shown, { path, method, operation: item[method], origin })
    }
  }
  return shown
}

/** What a service account sends with a form of OAuth. */
const CLIENT_FIELDS = { client_id: 'sak_…', client_secret: 'mkt_…' }

function prepare(shown, { path, method, operation, origin }) {
  operation.parameters = operation.parameters?.map((each) => {
    const parameter = resolved(shown, each)
    return withoutOptionalValues({ ...parameter, schema: resolved(shown, parameter.schema) })
  })
  const json = operation.requestBody?.content?.['application/json']
  // The example of the whole body would be sent with every field.
  if (json) json.example = requiredFields(shown, resolved(shown, json.schema))
  const form = operation.requestBody?.content?.['application/x-www-form-urlencoded']
  const fields = form && { ...requiredFields(shown, resolved(shown, form.schema)), ...CLIENT_FIELDS }
  const request = { ...requestOf(operation, `${origin}${path}`), method, body: json?.example, fields }
  operation['x-codeSamples'] = [
    { lang: 'typescript', label: 'TypeScript', source: typescriptSample(request) },
    { lang: 'python', label: 'Python', source: pythonSample(request) },
  ]
}

/** Moves examples, defaults and words of an optional parameter to its description, because the reference would send them. */
function withoutOptionalValues(parameter) {
  if (parameter.required) return parameter
  const { example, description, schema, ...others } = parameter
  const { default: byDefault, enum: words, ...typed } = schema
  const code = (value) => `\`${value}\``
  const notes = [
    ...(words ? [`One of ${words.map(code).join(', ')}.`] : []),
    ...(byDefault === undefined ? [] : [`Default: ${code(byDefault)}.`]),
    ...(example === undefined || words || byDefault !== undefined ? [] : [`Example: ${code(example)}.`]),
  ]
  return { ...others, schema: typed, description: [description, ...notes].filter(Boolean).join(' ') }
}

function resolved(shown, node) {
  let value = node
  while (value?.$ref) {
    const pointer = value.$ref.slice(2).split('/')
    value = pointer.reduce((at, key) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], shown)
  }
  return value
}

/** The required fields with their examples; of a body without required fields, the first one. */
function requiredFields(shown, { required = [], properties = {} }) {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1)
  return Object.fromEntries(names.map((name) => [name, exampleOf(shown, properties[name])]))
}

function exampleOf(shown, schema) {
  const known = resolved(shown, schema)
  const [example] = schema.examples ?? known.examples ?? []
  if (example !== undefined) return example
  if (known.properties) return requiredFields(shown, known)
  if (known.items) return [exampleOf(shown, known.items)]
  return known.enum?.[0] ?? ''
}

/** The example values of a request in its URL, and what its samples need to know. */
function requestOf({ parameters = [], security, responses }, url) {
  const exampleFor = (name) =>
    encodeURIComponent(parameters.find((parameter) => parameter.name === name)?.example ?? name)
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=${exampleFor(name)}`)
  const path = url.replaceAll(/\{(\w+)\}/g, (_, name) => exampleFor(name))
  return {
    url: query.length === 0 ? path : `${path}?${query.join('&')}`,
    needsToken: security?.some((scheme) => 'BearerAuth' in scheme) ?? true,
    hasAnswer: !('204' in responses),
  }
}

function typescriptSample({ url, method, body, fields, needsToken, hasAnswer }) {
  const headers = [
    ...(needsToken ? ['Authorization: `Bearer $' + '{accessToken}`'] : []),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), 2)}),`]),
    ...(fields === undefined ? [] : [`  body: new URLSearchParams(${indented(JSON.stringify(fields, null, 2), 2)}),`]),
  ]
  const call = options.length === 0 ? `fetch('${url}')` : `fetch('${url}', {\n${options.join('\n')}\n})`
  const lines = [`const response = await ${call}`, 'if (!response.ok) throw new Error(await response.text())']
  return [...lines, ...(hasAnswer ? ['const answer = await response.json()'] : [])].join('\n')
}

function pythonSample({ url, method, body, fields, needsToken, hasAnswer }) {
  const options = [
    ...(needsToken ? ['    headers={"Authorization": f"Bearer {access_token}"},'] : []),
    ...(body === undefined ? [] : [`    json=${indented(pythonValue(body), 4)},`]),
    ...(fields === undefined ? [] : [`    data=${indented(pythonValue(fields), 4)},`]),
  ]
  const call = [`response = requests.${method}(`, `    "${url}",`, ...options, ')'].join('\n')
  const lines = ['import requests', '', call, 'response.raise_for_status()']
  return [...lines, ...(hasAnswer ? ['answer = response.json()'] : [])].join('\n')
}

const indented = (text, spaces) => text.replaceAll('\n', `\n${' '.repeat(spaces)}`)

/** JSON as a value of Python. */
function pythonValue(value) {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null || typeof value !== 'object') return value === null ? 'None' : JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`
  const fields = Object.entries(value).map(
    ([name, item]) => `    "${name}": ${pythonValue(item).replaceAll('\n', '\n    ')},`,
  )
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n}`
}
