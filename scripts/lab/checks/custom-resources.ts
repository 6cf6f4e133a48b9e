import Ajv from 'ajv/dist/2020.js'

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema }

/** What the check reads of a CustomResourceDefinition. */
export interface Definition {
  spec: {
    group: string
    names: { kind: string }
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[]
  }
}

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string }
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })

/**
 * What a custom resource violates of its definition. Fields that the definition does not name are refused, as the API
 * server refuses them with strict field validation. Rules in CEL are not evaluated.
 */
export function violationsOf(manifest: Manifest, definitions: readonly Definition[]): string[] {
  for (const { spec } of definitions) {
    const version = spec.versions.find(({ name }) => manifest.apiVersion === `${spec.group}/${name}`)
    if (!version || spec.names.kind !== manifest.kind) continue
    const check = ajv.compile(closed({ ...version.schema.openAPIV3Schema }, { apiVersion: {}, kind: {}, metadata: {} }))
    check(manifest)
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
    )
  }
  return [`no definition of ${manifest.apiVersion} ${manifest.kind}`]
}

/** The schema with every object closed that names its properties and does not keep others. */
function closed(schema: Schema, always: Record<string, Schema> = {}): Schema {
  const copy: Schema = { ...schema }
  if (schema.items) copy.items = closed(schema.items)
  if (!schema.properties) return copy
  copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([name, value]) => [name, closed(value)]))
  // The API server knows these fields of the record itself.
  Object.assign(copy.properties, always)
  if (!schema['x-kubernetes-preserve-unknown-fields']) copy.additionalProperties = false
  return copy
}
