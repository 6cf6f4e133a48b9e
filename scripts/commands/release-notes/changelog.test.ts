import { expect, test } from 'bun:test'
import { artifactHubChanges, releaseNotes } from './changelog.ts'

const CHANGELOG = `# Changelog

## [0.3.0] – unreleased

### Added
- Later.

## [0.2.0] – 2026-12-24

### Added
- \`sbom\`: a bill
  in two lines.
- A "quoted" thing.

### Fixed
- A defect.

## [0.1.0] – 2026-12-01

### Added
- Everything.
`

test('the notes of a version are its section alone', () => {
  expect(releaseNotes(CHANGELOG, '0.1.0')).toBe('### Added\n- Everything.')
  expect(releaseNotes(CHANGELOG, '0.2.0')).toEndWith('### Fixed\n- A defect.')
})

test.each(['0.3.0', '0.2', '0.4.0'])('%s has no notes, because no section of it has a date', (version) => {
  expect(releaseNotes(CHANGELOG, version)).toBeUndefined()
})

test('the annotation of the chart has each change with its kind', () => {
  const text = `annotations:\n${artifactHubChanges(releaseNotes(CHANGELOG, '0.2.0') ?? '')}\n`
  const { annotations } = Bun.YAML.parse(text) as { annotations: Record<string, string> }
  expect(Bun.YAML.parse(annotations['artifacthub.io/changes'] ?? '')).toEqual([
    { kind: 'added', description: '`sbom`: a bill in two lines.' },
    { kind: 'added', description: 'A "quoted" thing.' },
    { kind: 'fixed', description: 'A defect.' },
  ])
})
