import { useList, useRecord } from '../data.ts'
import { can, permits } from '../me.ts'
import { fill, t } from '../texts.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Section } from '../ui/page.tsx'

interface Step {
  href: string
  icon: IconName
  text: string
}

/** What a manufacturer has not told yet about what it makes. */
function useFactorySteps(): Step[] {
  const isAsked = can('app:manufacturer') && permits('POST /flows/v1/factories')
  const { data } = useList(isAsked ? '/v1/factories' : undefined, { query: { view: 'MANUFACTURER', pageSize: 5 } })
  if (!data) return []
  if (data.length === 0) return [{ href: '/console/factories', icon: 'factory', text: t.firstSteps.factory }]
  return data
    .filter(({ capabilities }) => capabilities.length === 0)
    .map(({ id, name }) => ({
      href: `/console/factories/${id}`,
      icon: 'factory' as const,
      text: fill(t.firstSteps.capabilities, { factory: name }),
    }))
}

function usePartSteps(): Step[] {
  const isAsked = can('app:ip-owner') && permits('POST /v1/parts')
  const { data } = useList(isAsked ? '/v1/parts' : undefined, { query: { view: 'IP_OWNER', pageSize: 1 } })
  return data?.length === 0 ? [{ href: '/console/parts', icon: 'box', text: t.firstSteps.part }] : []
}

function usePeopleSteps(): Step[] {
  const isAsked = permits('POST /flows/v1/users')
  const { data } = useList(isAsked ? '/flows/v1/users' : undefined, { query: { pageSize: 2 } })
  return data?.length === 1 ? [{ href: '/console/organization', icon: 'user', text: t.firstSteps.colleague }] : []
}

function useMailSteps(): Step[] {
  const isAsked = permits('POST /flows/v1/mail-addresses')
  const { mail } = useRecord(isAsked ? '/flows/v1/me/notification-settings' : undefined, {}).data ?? {}
  const { data } = useList(isAsked && mail ? '/flows/v1/mail-addresses' : undefined, { query: { pageSize: 1 } })
  return data?.length === 0 ? [{ href: '/console/organization/mail', icon: 'bell', text: t.firstSteps.mail }] : []
}

/** What a new organization does first, from what it does not have yet. */
export function FirstSteps() {
  const steps = [...useFactorySteps(), ...usePartSteps(), ...usePeopleSteps(), ...useMailSteps()]
  if (steps.length === 0) return null
  return (
    <Section title={t.firstSteps.title}>
      <ul class="items">
        {steps.map(({ href, icon, text }) => (
          <li key={href}>
            <Icon name={icon} /> <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </Section>
  )
}
