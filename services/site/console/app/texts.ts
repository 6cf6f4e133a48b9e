import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const LANGUAGES = { en, de }
type Language = keyof typeof LANGUAGES

const isKnown = (language: string | null): language is Language =>
  language !== null && Object.hasOwn(LANGUAGES, language)

const KEY = 'marketplace-language'
const stored = localStorage.getItem(KEY)
const chosen = isKnown(stored) ? stored : undefined
const language = chosen ?? navigator.languages.map((tag) => tag.slice(0, 2)).find(isKnown) ?? 'en'

/** The texts of the chosen language, or of the browser's, or English. */
export const t = LANGUAGES[language]
document.documentElement.lang = language

/** The languages of numbers and dates: those of the browser, unless one was chosen. */
export const locales: readonly string[] = chosen
  ? [...navigator.languages.filter((tag) => tag.startsWith(chosen)), chosen]
  : navigator.languages

/** The languages to choose from, without the one that is shown. */
export const otherLanguages = Object.entries(LANGUAGES)
  .filter(([each]) => each !== language)
  .map(([code, { languageName }]) => ({ code, name: languageName }))

/** Shows the page in another language, and every later one of this browser. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(KEY, code)
  location.reload()
}

/** System roles have the same names in every organization; people name the others. */
export const roleName = ({ name, system }: { name: string; system: boolean }) => (system && t.systemRoles[name]) || name

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
