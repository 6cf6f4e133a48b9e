import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const LANGUAGES = { en, de }
type Language = keyof typeof LANGUAGES

const isKnown = (language: string): language is Language => language in LANGUAGES
const language = navigator.languages.map((tag) => tag.slice(0, 2)).find(isKnown) ?? 'en'

/** The texts of the browser's language, or English. */
export const t = LANGUAGES[language]
document.documentElement.lang = language

/** What the marketplace says of a field, in the words of the language where they are known. */
export function problemText(message: string): string {
  const known = t.problems.find(([pattern]) => pattern.test(message))
  return known ? message.replace(...known) : message
}

/** The label of a field of the API that has no field of its own in the form. */
export function fieldName(path: string): string {
  const [name = ''] = path.split('.')
  return (t.fields as Record<string, string>)[name] ?? name
}

/** The words of a code of the API: `Service account · key: create` for `serviceAccount.key.create`. */
export function wordsOf(code: string): string {
  const words = code.split(/[.:]/).map((word) => t.words[word] ?? word.replace(/(?=[A-Z])|_/g, ' ').toLowerCase())
  const last = words.pop() ?? code
  const text = words.length > 0 ? `${words.join(' · ')}: ${last}` : last
  return text.charAt(0).toUpperCase() + text.slice(1)
}
