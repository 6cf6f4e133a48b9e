import { Type } from '@sinclair/typebox'
import type { ServiceName } from '../../../proto/services.ts'
import { readConfig, secretIn } from '../../../services/kit/config/read.ts'
import { commonVariables } from '../../../services/kit/config/variables.ts'
import { withPasswordFile } from '../../../services/kit/db/password-file.ts'
import { webhooksOwnerUrl } from '../../../services/kit/migrate/variables.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { findState } from '../../toolchain/state.ts'
import { localAddress } from '../dev/account.ts'
import { requireDatabase } from '../dev/connections.ts'
import { readSecrets } from '../dev/secrets.ts'

interface OperatorEnvironment {
  /** The owner's URL of the database. */
  databaseUrl: string
  /** The owner's URL of the database that has the schema of a service. */
  databaseUrlOf(service: ServiceName): string
  encryptionKeys(): string
  /** The address of the links to the console. Throws if it is not known. */
  publicUrl(): string
}

const address = Type.Object({ PUBLIC_URL: commonVariables.PUBLIC_URL })

/** The environment, or without DATABASE_URL the marketplace that `./scripts/dev` runs in this checkout. */
export async function operatorEnvironment(): Promise<OperatorEnvironment> {
  const { DATABASE_URL, DATABASE_PASSWORD_FILE } = process.env
  if (DATABASE_URL) {
    const databaseUrl = withPasswordFile(DATABASE_URL, DATABASE_PASSWORD_FILE || undefined)
    await requireDatabase(databaseUrl)
    const webhooksUrl = webhooksOwnerUrl(process.env)
    if (webhooksUrl !== undefined) await requireDatabase(webhooksUrl, 'WEBHOOKS_OWNER_DATABASE_URL')
    const databaseUrlOf = (service: ServiceName) => (service === 'webhooks' && webhooksUrl) || databaseUrl
    const encryptionKeys = () => secretIn(process.env, 'ENCRYPTION_KEYS') ?? ''
    return { databaseUrl, databaseUrlOf, encryptionKeys, publicUrl: configuredPublicUrl }
  }
  const { folder } = await findState()
  const publicUrl = await localAddress()
  const { ownerPassword, databasePort, encryptionKeys } = await readSecrets(folder)
  if (publicUrl === undefined || databasePort === undefined) {
    throw new CommandError(
      'Set DATABASE_URL to the owner of the database, or start ./scripts/dev in this checkout first.',
    )
  }
  const databaseUrl = `postgres://postgres:${encodeURIComponent(ownerPassword)}@127.0.0.1:${databasePort}/postgres`
  return {
    databaseUrl,
    databaseUrlOf: () => databaseUrl,
    encryptionKeys: () => encryptionKeys,
    publicUrl: () => publicUrl,
  }
}

function configuredPublicUrl(): string {
  const { PUBLIC_URL } = process.env
  if (!PUBLIC_URL) throw new CommandError('Set PUBLIC_URL to the value that the services have, for the link.')
  return readConfig(address, process.env).PUBLIC_URL
}
