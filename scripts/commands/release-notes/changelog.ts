/** Kinds of Artifact Hub by headings of Keep a Changelog. */
const KINDS: Readonly<Record<string, string>> = {
  Added: 'added',
  Changed: 'changed',
  Deprecated: 'deprecated',
  Removed: 'removed',
  Fixed: 'fixed',
  Security: 'security',
}

/** The section of a version that has a date: `## [0.1.0] – 2026-12-01`. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m)
  const section = sections.find((text) => text.startsWith(`[${version}] – `))
  const [heading = '', ...lines] = section?.split('\n') ?? []
  return /– \d{4}-\d\d-\d\d$/.test(heading) ? lines.join('\n').trim() : undefined
}

/** The annotation of a chart that lists the changes of a version. */
export function artifactHubChanges(notes: string): string {
  const entries = notes.split(/^### /m).flatMap((group) => {
    const [heading = '', ...lines] = group.split('\n')
    const kind = KINDS[heading.trim()]
    if (kind === undefined) return []
    return lines
      .join('\n')
      .split(/^- /m)
      .map((entry) => entry.replace(/\s+/g, ' ').trim())
      .filter((entry) => entry !== '')
      .map((entry) => `    - kind: ${kind}\n      description: ${JSON.stringify(entry)}`)
  })
  return ['  artifacthub.io/changes: |', ...entries].join('\n')
}
