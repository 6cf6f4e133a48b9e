import { SERVICES, type ServiceName } from '../services/kit/migrate/files.ts'
import { migrate } from '../services/kit/migrate/migrate.ts'

const url = process.env.DATABASE_URL
const passwords = Object.fromEntries(
  SERVICES.map((service) => [service, process.env[`${service.toUpperCase()}_DATABASE_PASSWORD`] ?? '']),
) as Record<ServiceName, string>
const missing = [
  ...(url ? [] : ['DATABASE_URL (the owner of the database)']),
  ...SERVICES.filter((service) => passwords[service] === '').map((s) => `${s.toUpperCase()}_DATABASE_PASSWORD`),
]
if (!url || missing.length > 0) {
  console.error(`migrate needs ${missing.join(', ')}`)
  process.exit(2)
}
await migrate({ url, passwords, log: (line) => console.log(`migrated ${line}`) })
console.log('The database is up to date.')
