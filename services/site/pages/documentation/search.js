const MOST_FOUND = 12
/** Occurrences of a word in one field that count. */
const MOST_COUNTED = 5
const WORD = /[\p{L}\p{N}]+/gu
/** A title says more than the guide it is in, and that more than a text. */
const WEIGHTS = { title: 8, of: 3, text: 1 }

/** Words that readers use for a word of the documentation. */
const SYNONYMS = {
  auth: 'sign',
  authentication: 'sign',
  changelog: 'changes',
  login: 'sign',
  pagination: 'paging',
  quota: 'limits',
  ratelimit: 'limits',
  sdk: 'clients',
  throttling: 'limits',
  timeout: 'timeouts',
  versioning: 'compatibility',
}

const wordsOf = (text) => text.toLowerCase().match(WORD) ?? []
/** The words of a text, each after a space, so that a word is found by its beginning. */
const searchable = (text) => ` ${wordsOf(text).join(' ')}`

/** Returns a search over entries: those that have every word of a query, the best first. */
export function searchOf(entries) {
  const prepared = entries.map((entry) => ({
    entry,
    fields: Object.keys(WEIGHTS).map((name) => ({ text: searchable(entry[name]), weight: WEIGHTS[name] })),
  }))
  return (query) => {
    const words = wordsOf(query)
    if (words.length === 0) return []
    return prepared
      .map(({ entry, fields }) => ({ entry, score: scoreOf(fields, words) * (entry.weight ?? 1) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST_FOUND)
      .map(({ entry }) => entry)
  }
}

/** 0 if a word is missing. */
function scoreOf(fields, words) {
  let sum = 0
  for (const word of words) {
    const score = scoreOfWord(fields, word) + (SYNONYMS[word] ? scoreOfWord(fields, SYNONYMS[word]) : 0)
    if (score === 0) return 0
    sum += score
  }
  return sum
}

const scoreOfWord = (fields, word) =>
  fields
    .map(({ text, weight }) => weight * Math.min(text.split(` ${word}`).length - 1, MOST_COUNTED))
    .reduce((one, other) => one + other)
