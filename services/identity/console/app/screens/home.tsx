import { me } from '../me.ts'
import { t } from '../texts.ts'
import { Page } from '../ui/page.tsx'

export const Home = () => <Page title={t.nav.home}>{me.value?.organization.name}</Page>
