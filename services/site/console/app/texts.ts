import type en from './texts/en.json'

type ByCode = Readonly<Record<string, string>>
type Texts = Omit<typeof en, 'words' | 'systemRoles'> & { words: ByCode; systemRoles: ByCode }

/** Data for translators: a language that lacks a text does not compile. English codes and roles need no other words. */
interface Translation {
  name: string
  /** A browser loads the texts of its own language only. */
  load: () => Promise<{ default: Texts }>
}

const LANGUAGES = {
  en: { name: 'English', load: () => import('./texts/en.json') },
  de: { name: 'Deutsch', load: () => import('./texts/de.json') },
} satisfies Record<string, Translation>
type Language = keyof typeof LANGUAGES

const isKnown = (language: string | null): language is Language =>
  language !== null && Object.hasOwn(LANGUAGES, language)

const KEY = 'marketplace-language'
const stored = localStorage.getItem(KEY)
const chosen = isKnown(stored) ? stored : undefined
const language = chosen ?? navigator.languages.map((tag) => tag.slice(0, 2)).find(isKnown) ?? 'en'

/** The language of documents that the marketplace prints. */
export const printLanguage = language

/** The texts of the chosen language, or of the browser's, or English. */
export const t: Texts = (await LANGUAGES[language].load()).default
document.documentElement.lang = language

/** The languages of numbers and dates: those of the browser, unless one was chosen. */
export const locales: readonly string[] = chosen
  ? [...navigator.languages.filter((tag) => tag.startsWith(chosen)), chosen]
  : navigator.languages

/** The languages to choose from, without the one that is shown. */
export const otherLanguages = Object.entries(LANGUAGES)
  .filter(([each]) => each !== language)
  .map(([code, { name }]) => ({ code, name }))

/** Shows the page in another language, and every later one of this browser. */
export function chooseLanguage(code: string): void {
  localStorage.setItem(KEY, code)
  location.reload()
}

/** Replaces each `{name}` of a text. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))

const plurals = new Intl.PluralRules(language)
/** The form of a text for a number, with `{count}` in it. */
export const counted = (forms: ByCode & { other: string }, number: number, count: string) =>
  fill(forms[plurals.select(number)] ?? forms.other, { count })

/** System roles have the same names in every organization; people name the others. */
export const roleName = ({ name, system }: { name: string; system: boolean }) => (system && t.systemRoles[name]) || name

const PROBLEMS: readonly [RegExp, keyof typeof t.problems][] = [
  [/^is required$/, 'required'],
  [/^is required to publish.*$/, 'requiredToPublish'],
  [/^must be text of .*: a decimal number from 0 to 100 .*$/, 'percent'],
  [/^must be text of .*: a decimal number.*$/, 'amount'],
  [/^must be text of .*: an e-mail address.*$/, 'email'],
  [/^must be text of ([2-9]|\d\d+) to (\d+) characters.*$/, 'textBetween'],
  [/^must be text of \d+ to (\d+) characters.*$/, 'textAtMost'],
  [/^must be a whole number from (\d+) to (\d+)$/, 'wholeNumber'],
  [/^must be in the future$/, 'inFuture'],
  [/^must be later than .*$/, 'later'],
  [/^must be active$/, 'active'],
  [/^must be a list of 1 to .*$/, 'chooseOne'],
  [/^must be at most (\d+) pieces together.*$/, 'piecesTogether'],
  [/^must be at least (\d+), the pieces that are shipped$/, 'atLeastShipped'],
  [/^must be at most (\d+), the (?:rejected )?pieces that are not .*$/, 'atMostLeft'],
  [/^must be at most ([\d.]+), the value of what is cancelled$/, 'atMostCancelled'],
  [/^is ([\d.]+) in the agreement$/, 'otherFee'],
  [/^The RFQ was amended since\. Make a new offer\.$/, 'amendedSince'],
  [/^must not be in the past$/, 'notPast'],
  [/^must not be in the future$/, 'notFuture'],
  [/^must not be before the order$/, 'notBeforeOrder'],
  [/^has no active sales agreement with .*$/, 'noAgreement'],
  [/^The two organizations have a live agreement\. .*$/, 'liveAgreement'],
  [/^The order is on hold from [A-Z_]+\. .*$/, 'heldInProduction'],
  [/^must name a manufacturer$/, 'inviteOne'],
  [/^must have at least (\d+) characters$/, 'atLeast'],
  [/^needs an internal part$/, 'internalPart'],
  [/^needs a part of your organization$/, 'ownPart'],
  [/^must be at least 24 hours away$/, 'inADay'],
  [/^must not be earlier than the current expiry$/, 'notEarlier'],
  [/^there is no [\w ]+ `(.+?)`.*$/, 'unknown'],
  [/^has an unknown name in column (\d+); did you mean `(.+)`\?$/, 'unknownColumn'],
  [/^is that of row (\d+)$/, 'repeated'],
  [/^names more than one of your parts$/, 'ambiguous'],
  [/^is the name of more than one (?:material|process): (.+)$/, 'ambiguousName'],
  [/^is missing, so the part cannot be published yet$/, 'notPublishable'],
  [/^names a part that you may not change$/, 'notYours'],
  [/^must be one of (.+)$/, 'oneOf'],
  [/^must not be before the day of the expiry$/, 'deliveryAfterExpiry'],
  [/^must include in state READY: (.+)$/, 'documents'],
  [/^is (?:DRAFT|CLOSED|AWARDED|CANCELLED), not OPEN$/, 'rfqNotOpen'],
  [/^is declined by your organization$/, 'rfqDeclined'],
  [/^has confidentiality terms that your organization has not accepted$/, 'termsNotAccepted'],
  [/^The sealed RFQ has closed, so its offers are binding until their validity ends\.$/, 'bidIsBinding'],
  [/^The offer is for the current version of the RFQ\.$/, 'offerIsCurrent'],
  [/^There is an OPEN or CLOSED RFQ or an unfinished order for the part\.$/, 'partInTrade'],
  [/^must stay true until the RFQs with confidentiality terms have ended$/, 'staysInternal'],
  [/^is no longer available to your organization$/, 'partUnavailable'],
  [/^is not your password$/, 'yourPassword'],
  [/^You have no passkey\. .*$/, 'noPasskeyYet'],
  [/^Your organization requires a passkey\. .*$/, 'lastPasskey'],
  [/^You sign in by the identity provider of your organization\.$/, 'byProvider'],
  [/^A person has at most 10 passkeys\. .*$/, 'tenPasskeys'],
  [/^The credentials are not valid\.$/, 'wrongSignIn'],
  [/^Too many failures\. Try again in (\d+) seconds\.$/, 'tooManyFailures'],
  [/^has no TXT record (\S+) with the value \S+$/, 'noTxtRecord'],
  [/^has name servers that did not answer for (\S+)$/, 'dnsUnanswered'],
  [/^belongs to another organization$/, 'othersDomain'],
  [/^must have a price for (\d+) pieces: revise the offer$/, 'priceFor'],
]

/** What the marketplace says of a field, in the words of the language where they are known. */
export function problemText(message: string): string {
  const known = PROBLEMS.find(([pattern]) => pattern.test(message))
  const text = known ? message.replace(known[0], t.problems[known[1]]) : message
  return known?.[1] === 'documents' ? text.replaceAll(/[A-Z]+(?:_[A-Z]+)+|[A-Z]{4,}/g, kindOf) : text
}

/** The name of a kind of documents. */
const kindOf = (code: string) => (t.documentKinds as ByCode)[code] ?? code

/** The label of a field of the API that has no field of its own in the form; empty where its problems name it. */
export function fieldName(path: string): string {
  const [name = '', index, ...rest] = path.split('.')
  if (name !== 'lines') return (t.fields as ByCode)[name] ?? name
  return index === undefined
    ? ''
    : [`${t.packages.line} ${Number(index) + 1}`, ...rest.slice(0, 1).map(fieldName)].join(', ')
}

/** The words of a code of the API: `Service account · key: create` for `serviceAccount.key.create`. */
export function wordsOf(code: string): string {
  const words = code.split(/[.:]/).map((word) => t.words[word] ?? word.replace(/(?=[A-Z])|_/g, ' ').toLowerCase())
  const last = words.pop() ?? code
  const text = words.length > 0 ? `${words.join(' · ')}: ${last}` : last
  return text.charAt(0).toUpperCase() + text.slice(1)
}
