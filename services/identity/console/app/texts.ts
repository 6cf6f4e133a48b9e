import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const LANGUAGES = { en, de }
type Language = keyof typeof LANGUAGES

const isKnown = (language: string): language is Language => language in LANGUAGES
const language = navigator.languages.map((tag) => tag.slice(0, 2)).find(isKnown) ?? 'en'

/** The texts of the browser's language, or English. */
export const t = LANGUAGES[language]
document.documentElement.lang = language
