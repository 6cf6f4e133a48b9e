import { t } from '../texts.ts'
import { Copied } from '../ui/copied.tsx'
import { Section } from '../ui/page.tsx'

/** What an identity provider needs to manage people by SCIM. */
export const Provisioning = () => (
  <Section title={t.provisioning.title}>
    <p>{t.provisioning.hint}</p>
    <Copied label={t.provisioning.baseUrl} value={`${location.origin}/scim/v2`} />
    <Copied label={t.provisioning.tokenUrl} value={`${location.origin}/flows/v1/oauth/token`} />
    <p>{t.provisioning.token}</p>
    <p>
      <a href="/console/organization/service-accounts">{t.organization.serviceAccounts}</a>
      {' · '}
      <a href="/docs/guides/provisioning" target="_blank" rel="noreferrer">
        {t.provisioning.guide}
      </a>
    </p>
  </Section>
)
