/** A source file seen two ways, both as long as the original, so that positions and lines agree. */
export interface Source {
  path: string
  /** Without comments. */
  code: string
  /** Without comments and without the contents of strings and templates; code inside `${}` stays. */
  bare: string
}

export interface Import {
  specifier: string
  line: number
  /** What it takes from there; undefined when that is not told: `import * as`, `export *`, `import()`. */
  names: ImportedName[] | undefined
}

export interface ImportedName {
  name: string
  isType: boolean
}

/** Reads TypeScript, or SQL, just far enough to tell code from comments and strings. */
export function readSource(path: string, text: string): Source {
  return path.endsWith('.sql') ? { path, ...withoutSqlComments(text) } : { path, ...withoutComments(text) }
}

/** Every module a file names, types included: a type ties two rooms together as much as a value does. */
export function importsOf({ code, bare }: Source): Import[] {
  const found: Import[] = []
  for (const pattern of [
    /\b(?:import|export)\b\s*(?<clause>(?:type\s)?\s*(?:[\w$]+\s*,?\s*)?(?:\{[^}]*\}|\*(?:\s*as\s+[\w$]+)?)?\s*from\s*|)(['"])(?<specifier>[^'"\n]+)\2/g,
    /\bimport\s*\(\s*(['"])(?<specifier>[^'"\n]+)\1/g,
  ]) {
    for (const match of code.matchAll(pattern)) {
      // A match that begins inside a string is text about imports, not an import.
      if (bare[match.index] === ' ') continue
      const specifier = match.groups?.specifier ?? ''
      const names = namesIn(match.groups?.clause ?? '')
      found.push({ specifier, names, line: lineAt(code, match.index + match[0].length) })
    }
  }
  return found.sort((a, b) => a.line - b.line)
}

function namesIn(clause: string): ImportedName[] | undefined {
  const braces = /^(?<type>\s*type\s)?\s*\{(?<names>[^}]*)\}/.exec(clause)?.groups
  return braces?.names
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => ({
      name: name.replace(/^type\s+/, '').replace(/\s+as\s.*$/, ''),
      isType: braces.type !== undefined || name.startsWith('type '),
    }))
}

/** The line, counted from 1, of a position. */
export const lineAt = (text: string, position: number) => text.slice(0, position).split('\n').length

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

function withoutSqlComments(text: string) {
  const code = text.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith("'") ? part : blank(part),
  )
  return { code, bare: code }
}

/** What may stand in front of a regular expression, where a slash is not a division. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|yield))\s*$/

const TOKENS = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y,
  pattern: /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y,
  template: /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y,
}

function withoutComments(text: string) {
  let code = ''
  let bare = ''
  let position = 0
  // Each open template adds a level; its number counts the braces that its ${} has open.
  const templates: number[] = []

  const take = (length: number, intoCode: boolean, intoBare: boolean) => {
    const part = text.slice(position, position + length)
    code += intoCode ? part : blank(part)
    bare += intoBare ? part : blank(part)
    position += length
  }
  const match = (token: keyof typeof TOKENS) => {
    TOKENS[token].lastIndex = position
    return TOKENS[token].exec(text)?.[0].length ?? 0
  }
  const templateText = () => {
    take(match('template'), true, false)
    if (text.startsWith('${', position)) {
      take(2, true, true)
      templates.push(0)
    } else {
      take(1, true, true)
    }
  }

  while (position < text.length) {
    const character = text[position]
    const depth = templates.at(-1)
    if (character === '/' && match('comment') > 0) {
      take(match('comment'), false, false)
    } else if (character === '/' && BEFORE_PATTERN.test(code.slice(-60)) && match('pattern') > 0) {
      take(match('pattern'), true, false)
    } else if ((character === "'" || character === '"') && match('string') > 0) {
      take(match('string'), true, false)
    } else if (character === '`') {
      take(1, true, true)
      templateText()
    } else if (character === '}' && depth === 0) {
      templates.pop()
      take(1, true, true)
      templateText()
    } else {
      if (depth !== undefined && character === '{') templates[templates.length - 1] = depth + 1
      if (depth !== undefined && character === '}') templates[templates.length - 1] = depth - 1
      take(1, true, true)
    }
  }
  return { code, bare }
}
