/** The version and the address that a resource of SCIM has in `meta`. Its headers repeat them, also for a stored answer. */
export function namedInMeta(text: string): { version?: string; location?: string } {
  const { meta } = JSON.parse(text) as { meta?: { version?: string; location?: string } }
  return meta ?? {}
}
