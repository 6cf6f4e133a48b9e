import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { RegistrationInput } from '../api.ts'
import { ApiError, publicMarket } from '../api.ts'
import { personName } from '../names.tsx'
import { REGISTRATION_PATH, registrationMode } from '../registration-mode.ts'
import { fill, t } from '../texts.ts'
import { Choices, CountryField, chosenIn } from '../ui/choices.tsx'
import { Field, FieldProblem, Form, textOf } from '../ui/form.tsx'
import { Languages } from '../ui/languages.tsx'
import { Loading } from '../ui/states.tsx'

type Role = RegistrationInput['organization']['roles'][number]

/** What a company says it does, and the roles that it needs for that: who buys also draws. */
const ACTIVITIES: readonly [name: string, label: string, hint: string, roles: readonly Role[]][] = [
  ['buys', t.registrations.buys, t.registrations.buysHint, ['CONSUMER', 'IP_OWNER']],
  ['makes', t.registrations.makes, t.registrations.makesHint, ['MANUFACTURER']],
  ['designs', t.registrations.designs, t.registrations.designsHint, ['IP_OWNER']],
  ['sells', t.registrations.sells, t.registrations.needsOperator, ['SELLER']],
  ['distributes', t.registrations.distributes, t.registrations.needsOperator, ['DISTRIBUTOR']],
]

function inputOf(data: FormData): RegistrationInput {
  const names = chosenIn(data, 'organization.roles')
  const chosen = ACTIVITIES.filter(([name]) => names.includes(name))
  if (chosen.length === 0) throw new FieldProblem('organization.roles', t.registrations.choose)
  const website = textOf(data, 'organization.website')
  return {
    organization: {
      name: textOf(data, 'organization.name') ?? '',
      regionCode: textOf(data, 'organization.regionCode') ?? '',
      roles: [...new Set(chosen.flatMap(([, , , roles]) => roles))],
      ...(website === undefined ? {} : { website }),
    },
    user: {
      email: textOf(data, 'user.email') ?? '',
      givenName: textOf(data, 'user.givenName') ?? '',
      familyName: textOf(data, 'user.familyName') ?? '',
    },
  }
}

interface AloneProps {
  title: string
  lead?: string
  /** Where a person signs in. */
  signInPath?: string
  children?: ComponentChildren
}

/** A page of a visitor. */
export const Alone = ({ title, lead, signInPath = '/console', children }: AloneProps) => (
  <main class="alone">
    <p class="brand">
      <img src="/favicon.ico" alt="" width="28" height="28" /> {t.brand}
    </p>
    <h1>{title}</h1>
    {lead && <p class="quiet">{lead}</p>}
    {children}
    <p>
      <a href={signInPath}>{t.registrations.signIn}</a>
    </p>
    <p>
      <Languages />
    </p>
  </main>
)

function RegistrationForm({ sentTo }: { sentTo: Signal<string> }) {
  const send = async (data: FormData) => {
    const body = inputOf(data)
    await publicMarket.POST('/flows/v1/registrations', { body })
    sentTo.value = body.user.email
  }
  return (
    <Form submit={t.registrations.submit} onSend={send}>
      <fieldset>
        <legend>{t.registrations.company}</legend>
        <Field name="organization.name" label={t.registrations.name} autocomplete="organization" isFocused />
        <CountryField name="organization.regionCode" label={t.registrations.country} />
        <Field name="organization.website" label={t.registrations.website} type="url" autocomplete="url" isOptional />
      </fieldset>
      <Choices
        name="organization.roles"
        label={t.registrations.does}
        options={ACTIVITIES.map(([name, label, hint]) => [
          name,
          <span key={name}>
            {label}
            <br />
            <small class="quiet">{hint}</small>
          </span>,
        ])}
      />
      <fieldset>
        <legend>{t.registrations.person}</legend>
        <Field name="user.givenName" label={t.registrations.givenName} autocomplete="given-name" />
        <Field name="user.familyName" label={t.registrations.familyName} autocomplete="family-name" />
        <Field name="user.email" label={t.registrations.email} type="email" autocomplete="email" />
      </fieldset>
    </Form>
  )
}

/** What the link of a mail discloses; `invalid` where it can no longer be used, `failed` where it is not known. */
export function useLink<T extends object>(
  token: string,
  read: (token: string) => Promise<{ data: T }>,
): { link: T | 'invalid' | 'failed' | undefined; retry: () => void } {
  const link = useSignal<T | 'invalid' | 'failed' | undefined>(undefined)
  const retry = () => {
    link.value = token ? undefined : 'invalid'
    if (!token) return
    read(token).then(
      ({ data }) => {
        link.value = data
      },
      (error) => {
        link.value = error instanceof ApiError && error.status === 404 ? 'invalid' : 'failed'
      },
    )
  }
  // Once, because a token that was used is forgotten.
  useEffect(retry, [])
  return { link: link.value, retry }
}

/** What takes the place of a link that could not be read. */
export const TryAgain = ({ onClick }: { onClick: () => void }) => (
  <>
    <p role="alert">{t.links.tryAgain}</p>
    <p>
      <button type="button" class="primary" onClick={onClick}>
        {t.ui.retry}
      </button>
    </p>
  </>
)

const introspect = (token: string) => publicMarket.POST('/flows/v1/registrations/introspect', { body: { token } })

type Confirmed = { state: 'PENDING' | 'APPROVED'; activationUrl?: string }

/** What the link in the mail confirms. It is confirmed by a click, because programs open the links of mails. */
function Confirmation({ token }: { token: string }) {
  const { link, retry } = useLink<RegistrationInput>(token, introspect)
  const confirmed = useSignal<Confirmed | undefined>(undefined)
  const confirm = async () => {
    const { data } = await publicMarket.POST('/flows/v1/registrations/confirm', { body: { token } })
    confirmed.value = data
  }
  if (confirmed.value?.activationUrl) {
    return (
      <Alone title={t.registrations.admitted} lead={t.registrations.admittedHint}>
        <p>
          <a class="button primary" href={confirmed.value.activationUrl}>
            {t.registrations.choosePassword}
          </a>
        </p>
      </Alone>
    )
  }
  if (confirmed.value) return <Alone title={t.registrations.pending} lead={t.registrations.pendingHint} />
  if (link === 'invalid') {
    return (
      <Alone title={t.registrations.invalid} lead={t.registrations.invalidHint}>
        <p>
          <a class="button" href={REGISTRATION_PATH}>
            {t.registrations.again}
          </a>
        </p>
      </Alone>
    )
  }
  if (link === 'failed') {
    return (
      <Alone title={t.registrations.confirmTitle}>
        <TryAgain onClick={retry} />
      </Alone>
    )
  }
  if (!link) return <Loading />
  const { organization, user } = link
  const lead = fill(t.registrations.confirmLead, {
    person: personName(user),
    company: organization.name,
    email: user.email,
  })
  return (
    <Alone title={t.registrations.confirmTitle} lead={lead}>
      <Form submit={t.registrations.confirm} onSend={confirm} isForgettable />
    </Alone>
  )
}

/** The token of the link, which must not stay in the history of a shared computer. */
const linkToken = location.pathname === REGISTRATION_PATH ? location.hash.slice(1) : ''
if (linkToken) history.replaceState(null, '', REGISTRATION_PATH)
// A link that is opened in the window of the form changes only what follows the `#`.
if (location.pathname === REGISTRATION_PATH) addEventListener('hashchange', () => location.reload())

export function Registration() {
  const sentTo = useSignal('')
  if (linkToken) return <Confirmation token={linkToken} />
  if (registrationMode === 'closed') return <Alone title={t.ui.notFound} lead={t.ui.notFoundHint} />
  if (sentTo.value)
    return <Alone title={t.registrations.sent} lead={fill(t.registrations.sentHint, { email: sentTo.value })} />
  return (
    <Alone
      title={t.registrations.title}
      lead={registrationMode === 'open' ? t.registrations.leadOpen : t.registrations.lead}
    >
      <RegistrationForm sentTo={sentTo} />
    </Alone>
  )
}
