import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { roleOf } from '../../../services/kit/db/roles.ts'
import { CommandError } from '../../toolchain/command-error.ts'

/** Created once and kept, because the database cannot be opened or decrypted without them. */
export interface Secrets {
  ownerPassword: string
  servicePasswords: Record<ServiceName, string>
  /** The key of stored secrets, as `name:base64`. */
  encryptionKeys: string
  /** The preferred port of Postgres, so that database tools reconnect after a restart. */
  databasePort?: number
}

const secretsFile = (folder: string) => join(folder, 'secrets.json')

/** The secrets of this checkout, created by its first start. */
export async function readSecrets(folder: string): Promise<Secrets> {
  const file = Bun.file(secretsFile(folder))
  if (await file.exists()) {
    return file.json().catch(() => {
      throw new CommandError(
        `${file.name} is damaged, and the database cannot be read without it. Delete both with ./scripts/dev --reset.`,
      )
    })
  }
  const secrets: Secrets = {
    ownerPassword: randomText(24),
    servicePasswords: Object.fromEntries(SERVICES.map((service) => [service, randomText(24)])) as Record<
      ServiceName,
      string
    >,
    encryptionKeys: `local:${Buffer.from(randomBytes(32)).toString('base64')}`,
  }
  await writeSecrets(folder, secrets)
  return secrets
}

/** Written to a new file and renamed: a full disk leaves the old file intact. */
export async function writeSecrets(folder: string, secrets: Secrets): Promise<void> {
  const staging = `${secretsFile(folder)}.new`
  await writeFile(staging, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  await rename(staging, secretsFile(folder))
}

/** The database URL of a service: the owner's, with the role and password of the service. */
export function serviceUrl(
  ownerUrl: string,
  service: ServiceName,
  { servicePasswords }: Secrets,
  rolePrefix?: string,
): string {
  const url = new URL(ownerUrl)
  url.username = roleOf(service, rolePrefix)
  url.password = servicePasswords[service]
  return url.href
}

const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const randomText = (bytes: number) => Buffer.from(randomBytes(bytes)).toString('base64url')
