/** A marker in hostile values. An error response must not repeat it. */
export const MARK = 'zq7mark'

/** Texts that are known to break searches, logs, templates, shells or comparisons. */
export const TEXTS: readonly string[] = [
  '',
  ' ',
  MARK,
  `%${MARK}`,
  `_${MARK}_`,
  `\\${MARK}\\`,
  '%%%',
  '%_\\',
  `${MARK}'; drop table sourcing.parts; --`,
  `"${MARK}"`,
  `<script>${MARK}</script>`,
  `${MARK}\r\nX-Injected: 1`,
  `${MARK}\t\u0001\u007f\u0085`,
  `${MARK}\u202e\u200b\u2028`,
  'İıſß\u0130\u212a',
  'e\u0301\u00e9',
  '\u{1f4a9}\u{10ffff}\uffff',
  `../../${MARK}`,
  `\${jndi:ldap://${MARK}}{{7*7}}`,
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '9007199254740993',
  '0x10',
  '[object Object]',
  `${MARK}${'x'.repeat(300)}`,
]

/** Texts that are too long for a URL or a header. */
export const LONG_TEXTS: readonly string[] = [MARK + 'x'.repeat(10_001), MARK + '\u{1d4b3}'.repeat(50_000)]

/** Times that some parsers accept and calendars, databases or other parsers refuse. */
export const TIMES: readonly string[] = [
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-04-29',
  '2026-04-29T09:10:00',
  '2026-04-29T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-04-29T09:10:00+24:00',
  '2026-04-29T09:10:00.1234567890Z',
  '+275760-09-13T00:00:00.000Z',
  '275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '-000001-01-01T00:00:00Z',
  'now',
  'infinity',
  '1714381800000',
]

/** Numbers in JSON or query notation. */
export const NUMBERS: readonly string[] = [
  '0',
  '-0',
  '-1',
  '1.0',
  '1.5',
  '1e1',
  '1e999',
  '-1e999',
  '1e-400',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '18446744073709551616',
  '1e308',
]

/** Invalid JSON numbers that lenient parsers accept. */
export const NEAR_NUMBERS: readonly string[] = [
  'NaN',
  'Infinity',
  '-',
  '+1',
  '01',
  '0x1',
  '1_000',
  '1,000',
  '１',
  ' 1',
  '1n',
]
