/** The version and the address in `meta` of a SCIM resource. The headers repeat them, also for a stored response. */
export function namedInMeta(text: string): { version?: string; location?: string } {
  const { meta } = JSON.parse(text) as { meta?: { version?: string; location?: string } }
  return meta ?? {}
}
